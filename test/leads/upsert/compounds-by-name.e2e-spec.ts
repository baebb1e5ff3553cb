import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { addCompound } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;
let ids: Record<string, ObjectId>;

beforeAll(async () => {
  tenant = await service.addTenant();
  const add = (english: string, arabic?: string, fields?: object) => {
    const name = { 'en-us': english, ...(arabic === undefined ? {} : { 'ar-eg': arabic }) };
    return tenant.add(addCompound, name, fields);
  };
  ids = {
    palm: await add('Palm Meadows', 'مروج النخيل'),
    twin: await add('PALM MEADOWS'),
    deleted: await add('Palm Meadows', undefined, { isDeleted: true }),
    emptyArabic: await add('Élan Café', ''),
    pattern: await add('Zone (A+) .*'),
    sigma: await add('ΟΔΥΣΣΕΥΣ'),
    lake: await add('Lake', 'بحيرة'),
    street: await add('Straße am See'),
    capital: await add('STRAẞE AM SEE'),
    written: await add('Strasse am See'),
  };
  await (await service.addTenant()).add(addCompound, { 'en-us': 'Palm Meadows' });
});

const post = (body: object, language = 'en-us') =>
  tenant.post('/leads', body).set('language', language);
const linkedCompounds = async (project: string, language?: string) =>
  (await post({ project }, language).expect(201)).body.lead.compoundsIds as string[];
const idsOf = (...names: string[]) => names.map((name) => ids[name]?.toHexString());

describe('POST /leads with a project', () => {
  const streets = ['street', 'capital', 'written'];

  it.each<[project: string, language: string, compounds: string[]]>([
    ['palm meadows', 'en-us', ['palm', 'twin']],
    ['Palm MEADOWS', 'en-us', ['palm', 'twin']],
    ['Palm', 'en-us', []],
    ['Palm Meadows ', 'en-us', []],
    [' Palm Meadows', 'en-us', []],
    ['Palm  Meadows', 'en-us', []],
    ['.*', 'en-us', []],
    ['Zone .*', 'en-us', []],
    ['zone (a+) .*', 'en-us', ['pattern']],
    ['ÉLAN CAFÉ', 'en-us', ['emptyArabic']],
    ['e\u0301lan cafe\u0301', 'en-us', ['emptyArabic']],
    ['Elan Cafe', 'en-us', []],
    ['οδυσσευς', 'en-us', ['sigma']],
    ['STRASSE AM SEE', 'en-us', streets],
    ['straße am see', 'ar-eg', streets],
    ['STRAẞE am see', 'en-us', streets],
    ['Strase am See', 'en-us', []],
    ['مروج النخيل', 'ar-eg', ['palm']],
    ['مروج النخيل', 'AR-EG', ['palm']],
    ['مروج النخيل', 'en-us', []],
    ['مروج النخيل', 'fr-fr', []],
    ['Lake', 'ar-eg', []],
    ['palm meadows', 'ar-eg', ['twin']],
    ['élan café', 'ar-eg', ['emptyArabic']],
  ])('%j in %s links the active compounds with that whole name: %j', async (...row) => {
    const [project, language, compounds] = row;
    expect(await linkedCompounds(project, language)).toEqual(idsOf(...compounds));
  });

  it('responds within the time limit when it has 300,000 combining marks', async () => {
    expect(await linkedCompounds(`e${'\u0345\u0301'.repeat(150_000)}`)).toEqual([]);
  });

  it('adds links and removes none', async () => {
    await post({ recordSystemId: 'moving', project: 'Lake' });
    const second = await post({ recordSystemId: 'moving', project: 'Palm Meadows' }).expect(200);
    expect(second.body.lead.compoundsIds).toEqual(idsOf('lake', 'palm', 'twin'));
    const third = await post({ recordSystemId: 'moving', project: 'Unknown' }).expect(200);
    expect(third.body.lead.compoundsIds).toEqual(second.body.lead.compoundsIds);
    expect(third.body.lead.data.project).toBe('Unknown');
    const { compoundsIds } = await tenant.storedOne('leads', { recordSystemId: 'moving' });
    expect(compoundsIds).toEqual([ids['lake'], ids['palm'], ids['twin']]);
  });

  it('reads the project from data before the flat field, even if it is empty', async () => {
    const both = await post({ project: 'Lake', data: { project: 'Palm Meadows' } });
    expect(both.body.lead.compoundsIds).toEqual(idsOf('palm', 'twin'));
    const empty = await post({ project: 'Lake', data: { project: '' } }).expect(201);
    expect(empty.body.lead).toMatchObject({ compoundsIds: [], data: { project: '' } });
  });

  it('links a compound that another program has just renamed, and creates none', async () => {
    const before = await tenant.count('compounds');
    await tenant.set('compounds', { _id: ids['pattern'] }, { 'name.en-us': 'Renamed' });
    expect(await linkedCompounds('renamed')).toEqual(idsOf('pattern'));
    expect(await tenant.count('compounds')).toBe(before);
  });
});
