import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { addCompound, addTenant, type Tenant } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let ids: Record<string, ObjectId>;

beforeAll(async () => {
  tenant = await addTenant(service.db);
  const add = (...args: [Parameters<typeof addCompound>[2], object?]) =>
    addCompound(service.db, tenant.organizationId, ...args);
  ids = {
    palm: await add({ 'en-us': 'Palm Meadows', 'ar-eg': 'مروج النخيل' }),
    twin: await add({ 'en-us': 'PALM MEADOWS' }),
    deleted: await add({ 'en-us': 'Palm Meadows' }, { isDeleted: true }),
    emptyArabic: await add({ 'en-us': 'Élan Café', 'ar-eg': '' }),
    pattern: await add({ 'en-us': 'Zone (A+) .*' }),
    sigma: await add({ 'en-us': 'ΟΔΥΣΣΕΥΣ' }),
    arabicOnlyDiffers: await add({ 'en-us': 'Lake', 'ar-eg': 'بحيرة' }),
  };
  await addCompound(service.db, (await addTenant(service.db)).organizationId, {
    'en-us': 'Palm Meadows',
  });
});

const post = (body: object, language?: string) => {
  const request = service.api('post', '/leads').set('api-key', tenant.key).send(body);
  return language === undefined ? request : request.set('language', language);
};
const linked = async (project: string, language?: string) =>
  (await post({ project }, language).expect(201)).body.lead.compoundsIds as string[];
const hex = (...names: string[]) => names.map((name) => ids[name]?.toHexString());

describe('a sent project', () => {
  it('links every compound with that name in any case, but none deleted or foreign', async () => {
    expect(await linked('palm meadows')).toEqual(hex('palm', 'twin'));
    expect(await linked('Palm MEADOWS', 'en-us')).toEqual(hex('palm', 'twin'));
  });

  it('is compared with the whole name, not as a pattern', async () => {
    for (const project of [
      'Palm',
      'Palm Meadows ',
      ' Palm Meadows',
      'Palm  Meadows',
      '.*',
      'Zone .*',
    ]) {
      expect(await linked(project)).toEqual([]);
    }
    expect(await linked('zone (a+) .*')).toEqual(hex('pattern'));
  });

  it('is compared within the time limit when it has 300,000 combining marks', async () => {
    expect(await linked(`e${'\u0345\u0301'.repeat(150_000)}`)).toEqual([]);
  });

  it('is compared case-insensitively in every script, but with accents', async () => {
    expect(await linked('ÉLAN CAFÉ')).toEqual(hex('emptyArabic'));
    expect(await linked('e\u0301lan cafe\u0301')).toEqual(hex('emptyArabic'));
    expect(await linked('Elan Cafe')).toEqual([]);
    expect(await linked('οδυσσευς')).toEqual(hex('sigma'));
  });

  it('is compared by full case folding', async () => {
    const add = (name: string) =>
      addCompound(service.db, tenant.organizationId, { 'en-us': name }).then(String);
    const [street, capital, written] = [
      await add('Straße am See'),
      await add('STRAẞE AM SEE'),
      await add('Strasse am See'),
    ];
    for (const project of ['STRASSE AM SEE', 'straße am see', 'strasse am See', 'STRAẞE am see']) {
      expect(await linked(project)).toEqual([street, capital, written]);
      expect(await linked(project, 'ar-eg')).toEqual([street, capital, written]);
    }
    expect(await linked('Strase am See')).toEqual([]);
  });

  it('is compared with names in the language of the request', async () => {
    expect(await linked('مروج النخيل', 'ar-eg')).toEqual(hex('palm'));
    expect(await linked('مروج النخيل', 'AR-EG')).toEqual(hex('palm'));
    expect(await linked('مروج النخيل')).toEqual([]);
    expect(await linked('مروج النخيل', 'fr-fr')).toEqual([]);
    expect(await linked('Lake', 'ar-eg')).toEqual([]);
  });

  it('is compared with the default name when the translation is missing or empty', async () => {
    expect(await linked('palm meadows', 'ar-eg')).toEqual(hex('twin'));
    expect(await linked('élan café', 'ar-eg')).toEqual(hex('emptyArabic'));
  });

  it('adds links and removes none', async () => {
    await post({ recordSystemId: 'moving', project: 'Lake' });
    const second = await post({ recordSystemId: 'moving', project: 'Palm Meadows' }).expect(200);
    expect(second.body.lead.compoundsIds).toEqual(hex('arabicOnlyDiffers', 'palm', 'twin'));
    const third = await post({ recordSystemId: 'moving', project: 'Unknown' }).expect(200);
    expect(third.body.lead.compoundsIds).toEqual(second.body.lead.compoundsIds);
    expect(third.body.lead.data.project).toBe('Unknown');
    const { organizationId } = tenant;
    const moving = { organizationId, recordSystemId: 'moving' };
    const stored = await service.db.collection('leads').findOne(moving);
    expect(stored?.['compoundsIds']).toEqual([ids['arabicOnlyDiffers'], ids['palm'], ids['twin']]);
  });

  it('is read from data before the flat field, even if it is empty', async () => {
    const both = await post({ project: 'Lake', data: { project: 'Palm Meadows' } });
    expect(both.body.lead.compoundsIds).toEqual(hex('palm', 'twin'));
    const empty = await post({ project: 'Lake', data: { project: '' } }).expect(201);
    expect(empty.body.lead).toMatchObject({ compoundsIds: [], data: { project: '' } });
  });

  it('links a compound that another program has just renamed, and creates none', async () => {
    const count = () =>
      service.db.collection('compounds').countDocuments({ organizationId: tenant.organizationId });
    const before = await count();
    await service.db
      .collection('compounds')
      .updateOne({ _id: ids['pattern'] as ObjectId }, { $set: { 'name.en-us': 'Renamed' } });
    expect(await linked('renamed')).toEqual(hex('pattern'));
    expect(await count()).toBe(before);
  });
});
