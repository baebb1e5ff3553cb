import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addReservation, addTenant, type Tenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import { ctrlC } from '../support/terminal.js';
import { type Outcome, runCli, runCliOnTerminal, runCliProcess } from './command-line.js';

const service = sharedService();
let tenant: Tenant;
let folder: string;

beforeAll(async () => {
  tenant = await addTenant(service.db);
  folder = await mkdtemp(join(tmpdir(), 'integration-api-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Report {
  readonly faults: { readonly place: string; readonly message: string }[];
  readonly counts: Record<'created' | 'updated' | 'unchanged', number>[];
}

async function run(text: string, options: readonly string[] = []): Promise<Outcome> {
  const file = join(folder, 'catalogue');
  await writeFile(file, text);
  const args = ['catalog', 'import', file, '--org', tenant.organizationId.toHexString()];
  return runCli([...args, ...options], { MONGODB_URI: service.databaseUri, LOG_LEVEL: 'error' });
}

const report = async (text: string): Promise<Report & { code: number }> => {
  const { code, stdout } = await run(text, ['--json']);
  return { code, ...(JSON.parse(stdout) as Report) };
};
const get = (path: string) => service.api('get', path).set('api-key', tenant.key);
const name = (english: string, arabic: string) => ({ 'en-us': english, 'ar-eg': arabic });
const countsOf = ({ counts }: Report) =>
  counts.map(({ created, updated, unchanged }) => `${created}/${updated}/${unchanged}`).join(' ');

const catalogue = {
  units: [
    {
      slug: 'فيلا-١',
      name: name('Villa 1', 'فيلا ١'),
      compound: 'oasis',
      phase: 'oasis-north',
      propertyType: 'villa',
      unitDesign: 'oasis-villa',
      amenities: ['pool', 'gym'],
      unitId: 'V-1',
      recordSystemId: 'ERP-1',
      status: 'Available',
      price: 5_000_000,
      bua: 200,
      beds: 3,
      floor: { name: 'Ground' },
      media: [{ image: 'https://cdn.example.com/v1.jpg' }],
    },
    { slug: 'bare', name: { 'en-us': 'Bare' }, compound: 'oasis', unitId: 'V-2' },
  ],
  compounds: [
    {
      slug: 'oasis',
      name: name('Oasis', 'واحة'),
      description: name('Calm', 'هادئة'),
      isPublished: true,
      area: 1_000,
      mainBrochure: {
        dateUploaded: '2026-01-05T09:30:00Z',
        name: 'Plan',
        url: 'https://cdn.example.com/plan.pdf',
      },
    },
  ],
  phases: [{ slug: 'oasis-north', name: name('North', 'الشمال'), compound: 'oasis' }],
  propertyTypes: [{ slug: 'villa', name: name('Villa', 'فيلا') }],
  amenities: [
    { slug: 'pool', name: name('Pool', 'حمام سباحة'), icon: 'https://cdn.example.com/pool.svg' },
    { slug: 'gym', name: { 'en-us': 'Gym' } },
  ],
  unitDesigns: [
    {
      slug: 'oasis-villa',
      name: { 'en-us': 'Oasis Villa' },
      bedrooms: 3,
      amenities: ['gym'],
      phases: ['oasis-north'],
    },
  ],
};

describe('catalog import', () => {
  it('stores a catalogue in both languages, and nothing on a second import', async () => {
    const first = await report(JSON.stringify(catalogue));
    expect([first.code, first.faults, countsOf(first)]).toEqual([
      0,
      [],
      '1/0/0 2/0/0 1/0/0 1/0/0 1/0/0 2/0/0',
    ]);
    const { body } = await get('/units/%D9%81%D9%8A%D9%84%D8%A7-%D9%A1').set('language', 'ar-eg');
    expect(body.data).toMatchObject({
      name: 'فيلا ١',
      phase: { name: 'الشمال' },
      type: { name: 'فيلا' },
      unitDesign: { name: 'Oasis Villa', amenitiesIds: [expect.any(String)] },
      amenities: [{ name: 'حمام سباحة' }, { name: 'Gym' }],
      media: [{ image: 'https://cdn.example.com/v1.jpg', imageType: null, type: 'image' }],
      price: 5_000_000,
    });
    const compounds = (await get('/compounds')).body.data;
    expect(compounds).toMatchObject([
      { name: 'Oasis', mainBrochure: { dateUploaded: '2026-01-05T09:30:00.000Z' } },
    ]);
    const tag = (await get('/compounds/oasis/units')).headers['etag'] ?? '';
    const second = await report(JSON.stringify(catalogue));
    expect(countsOf(second)).toBe('0/0/1 0/0/2 0/0/1 0/0/1 0/0/1 0/0/2');
    expect((await run(JSON.stringify(catalogue))).stdout).toMatch(/^units +0 +0 +2$/m);
    await get('/compounds/oasis/units').set('if-none-match', tag).expect(304);
  });

  it('updates only the fields that a JSON or NDJSON file contains', async () => {
    const unit = { slug: 'bare', name: { 'en-us': 'Bare' }, compound: 'oasis', unitId: 'V-2' };
    const lines = [
      { kind: 'units', ...unit, price: 7 },
      { kind: 'units', ...catalogue.units[0], phase: undefined, price: 8 },
    ];
    const text = `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n\r\n')}\n`;
    expect(countsOf(await report(text))).toBe('0/0/0 0/0/0 0/0/0 0/0/0 0/0/0 0/2/0');
    const { data } = (await get('/units?sort=price')).body;
    expect(data).toMatchObject([
      { slug: 'bare', price: 7 },
      { price: 8, phase: { slug: 'oasis-north' } },
    ]);
  });

  it('rejects an invalid file, lists each error with its location and stores nothing', async () => {
    const [villa] = catalogue.units;
    const bad = {
      compounds: [{ slug: 'new', name: { 'ar-eg': 'جديد' }, showOnMap: 'yes', media: 7 }],
      propertyTypes: [{ slug: 'a b', name: { 'en-us': 'A' } }],
      amenities: [{ slug: 'pool', name: { 'en-us': 'Pool' }, icon: 'pool.svg' }],
      phases: [{ slug: 'p', name: { 'en-us': 'P' }, compound: 'nowhere' }],
      units: [
        { ...villa, slug: 'other', unitId: 'V-9', price: -1 },
        { ...villa, slug: 'thief', unitId: 'V-1' },
        { ...villa, slug: 'twin', unitId: 'V-3', recordSystemId: 'x', phase: 'p', colour: 1 },
        {
          ...villa,
          slug: 'stray',
          unitId: 'V-4',
          recordSystemId: 'y',
          phase: 'p',
          amenities: ['?'],
        },
        { ...villa, slug: 'stray', unitId: 'V-4', recordSystemId: 'z', compound: 'new' },
      ],
      villas: [],
    };
    const { code, faults } = await report(JSON.stringify(bad));
    expect(code).toBe(1);
    const messages = new Map(faults.map(({ place, message }) => [place, message]));
    expect(messages.get('compounds[0].name.en-us')).toBe('must be a string');
    expect(messages.get('units[2].colour')).toBe('is not a known field');
    expect(messages.get('compounds[0].showOnMap')).toBe('must be a boolean');
    expect(messages.get('phases[0].compound')).toBe(
      'there is nothing in compounds with slug nowhere',
    );
    expect(messages.get('compounds[0].media')).toBe('must be an array');
    expect(messages.get('propertyTypes[0].slug')).toMatch(/^must not have spaces/);
    expect(messages.get('amenities[0].icon')).toBe('must be an http or https URL');
    expect(faults.map(({ place }) => place).toSorted()).toEqual([
      'amenities[0].icon',
      'compounds[0].media',
      'compounds[0].name.en-us',
      'compounds[0].showOnMap',
      'phases[0].compound',
      'propertyTypes[0].slug',
      'units[0].price',
      'units[1].recordSystemId',
      'units[1].unitId',
      'units[2].colour',
      'units[3].amenities.0',
      'units[3].phase',
      'units[4].phase',
      'units[4].slug',
      'villas',
    ]);
    const stored = { organizationId: tenant.organizationId };
    expect(await service.db.collection('units').countDocuments(stored)).toBe(2);
    expect(await service.db.collection('phases').countDocuments(stored)).toBe(1);
  });

  it('stores a default type for a new phase, and keeps a stored type', async () => {
    const entry = (slug: string) => ({ slug, name: { 'en-us': slug }, compound: 'oasis' });
    const typed = { ...entry('typed'), type: 'Zone' };
    await report(JSON.stringify({ phases: [typed, entry('untyped')] }));
    const again = { phases: [entry('typed'), entry('untyped')] };
    expect(countsOf(await report(JSON.stringify(again)))).toBe(
      '0/0/0 0/0/0 0/0/0 0/0/2 0/0/0 0/0/0',
    );
    const { organizationId } = tenant;
    const filter = { organizationId, slug: { $in: ['typed', 'untyped'] } };
    const phases = await service.db.collection('phases').find(filter).sort({ slug: 1 }).toArray();
    expect(phases).toMatchObject([{ type: 'Zone' }, { type: 'Phase' }]);
  });

  it('rejects NDJSON with the lines of errors, and JSON that is not a catalogue', async () => {
    const lines = ['{"kind":"amenities","slug":"a","name":{"en-us":"A"}}', '', '{', '{"kind":"x"}'];
    const { stdout, stderr, code } = await run(lines.join('\n'));
    expect([code, stderr]).toEqual([1, 'The file has 2 errors, nothing was stored.\n']);
    expect(stdout).toMatch(/^line 3 .*JSON/m);
    expect(stdout).toMatch(/^line 4: kind .*must be one of propertyTypes, /m);
    const { faults } = await report('[1]');
    expect(faults).toEqual([{ place: 'file', message: expect.any(String) }]);
    expect((await run('[1]')).stderr).toBe('The file has 1 error, nothing was stored.\n');
  });
});

/** A catalogue of a compound and units in it, for a tenant of its own. */
describe('catalog import of a stored catalogue', () => {
  const compound = { slug: 'bay', name: { 'en-us': 'Bay', 'ar-eg': 'خليج' } };
  const unit = (slug: string, fields: object = {}) => ({
    slug,
    name: { 'en-us': slug },
    compound: 'bay',
    unitId: slug,
    ...fields,
  });
  const importUnits = (...units: object[]) =>
    report(JSON.stringify({ compounds: [compound], units }));
  const shown = async (slug: string) => (await get(`/units/${slug}`)).body.data;
  const eventsOf = async (slug: string) =>
    (
      await service.db
        .collection('outboxEvents')
        .find({ organizationId: tenant.organizationId, 'data.slug': slug })
        .sort({ _id: 1 })
        .toArray()
    ).map(({ type, changes }) => [
      type,
      ...(changes ?? []).map(({ field }: { field: string }) => field),
    ]);

  beforeEach(async () => {
    tenant = await addTenant(service.db);
  });

  it('keeps the status of a reserved unit', async () => {
    const sent = { status: 'Available' };
    const slugs = ['sold', 'reserved', 'free', 'held'];
    await importUnits(...slugs.map((slug) => unit(slug, sent)));
    const ids = new Map<string, ObjectId>();
    for (const slug of slugs) ids.set(slug, new ObjectId(String((await shown(slug))._id)));
    const reserve = (slug: string, status: string) =>
      addReservation(service.db, tenant.organizationId, ids.get(slug) as ObjectId, { status });
    await reserve('sold', 'pending');
    await reserve('sold', 'approved');
    await reserve('reserved', 'pending');
    await reserve('free', 'canceled');
    await reserve('held', 'approved');
    const statuses = async () => Promise.all(slugs.map(async (slug) => (await shown(slug)).status));
    expect(await statuses()).toEqual(slugs.map(() => 'Available'));
    await importUnits(
      unit('sold', sent),
      unit('reserved', { status: 'Sold' }),
      unit('free', { status: 'Sold' }),
      unit('held', sent),
    );
    expect(await statuses()).toEqual(['Sold', 'Reserved', 'Sold', 'Sold']);
    await importUnits(...slugs.map((slug) => unit(slug)));
    expect(await statuses()).toEqual(['Sold', 'Reserved', 'Sold', 'Sold']);
  });

  it('keeps translations missing in the file, and emits events as POST /units does', async () => {
    const arabic = { name: { 'en-us': 'Cove', 'ar-eg': 'كوف' }, recordSystemId: 'erp' };
    await importUnits(unit('cove', arabic), unit('bare'));
    expect(await shown('bare')).toMatchObject({
      status: 'Available',
      rentalStatus: 'Unavailable',
    });
    await service.db
      .collection('units')
      .updateOne(
        { organizationId: tenant.organizationId, slug: 'bare' },
        { $unset: { status: '', rentalStatus: '' } },
      );
    const again = await report(
      JSON.stringify({
        compounds: [{ ...compound, name: { 'en-us': 'Blue Bay' } }],
        units: [unit('cove', { name: { 'en-us': 'Blue Cove' }, price: 5 }), unit('bare')],
      }),
    );
    expect(again.counts.map(({ updated }) => updated)).toEqual([0, 0, 1, 0, 0, 2]);
    const names = async (language: string) => [
      (await get('/units/cove').set('language', language)).body.data.name,
      (await get('/compounds').set('language', language)).body.data[0].name,
    ];
    expect([await names('en-us'), await names('ar-eg')]).toEqual([
      ['Blue Cove', 'Blue Bay'],
      ['كوف', 'خليج'],
    ]);
    expect(await shown('bare')).toMatchObject({
      status: 'Available',
      rentalStatus: 'Unavailable',
    });
    expect(await eventsOf('cove')).toEqual([
      ['unit.created'],
      ['unit.updated', 'name.en-us', 'price'],
    ]);
    expect(await eventsOf('bare')).toEqual([
      ['unit.created'],
      ['unit.updated', 'status', 'rentalStatus'],
    ]);
  });

  it('stores one catalogue when two imports and many requests run concurrently', async () => {
    const count = rounds(60, 150);
    const many = Array.from({ length: count }, (_, index) => unit(`race-${index}`));
    const phases = [{ slug: 'shore', name: { 'en-us': 'Shore' }, compound: 'bay' }];
    const file = join(folder, 'race');
    await writeFile(file, JSON.stringify({ compounds: [compound], phases, units: many }));
    await importUnits();
    const organization = tenant.organizationId.toHexString();
    const args = ['catalog', 'import', file, '--org', organization];
    const variables = { MONGODB_URI: service.databaseUri, LOG_LEVEL: 'error' };
    const imports = [runCli(args, variables), runCliProcess(args, variables)];
    let areRunning = true;
    const finished = Promise.all(imports).finally(() => (areRunning = false));
    const statuses = new Set<number>();
    for (let end = many.length; end > 0 && areRunning; end -= 5) {
      const bodies = many.slice(end - 5, end).map(({ slug, unitId }) => ({
        unitId,
        compound: 'bay',
        name: slug,
        price: 1,
      }));
      const sent = bodies.map((body) =>
        service.api('post', '/units').set('api-key', tenant.key).send(body),
      );
      for (const { status } of await Promise.all(sent)) statuses.add(status);
    }
    for (const outcome of await finished) expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect([...statuses].filter((status) => status > 201)).toEqual([]);
    const countOf = (collection: string) =>
      service.db
        .collection(collection)
        .countDocuments({ organizationId: tenant.organizationId, isDeleted: false });
    expect([await countOf('units'), await countOf('phases')]).toEqual([count, 1]);
    const created = { organizationId: tenant.organizationId, type: 'unit.created' };
    expect(await service.db.collection('outboxEvents').countDocuments(created)).toBe(count);
  });

  it('prints its progress when it is interrupted, and completes when it runs again', async () => {
    const long = '\u0001'.repeat(2_048);
    const media = Array.from({ length: 400 }, () => ({
      image: 'https://cdn.example.com/a.jpg',
      imageType: long,
      type: long,
    }));
    const units = Array.from({ length: 130 }, (_, index) =>
      unit(`part-${index}`, index === 110 ? { media } : {}),
    );
    const { code, stderr, stdout } = await run(JSON.stringify({ compounds: [compound], units }));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'The import stopped after 111 of 131 entries: The event about this change would be larger ' +
        'than 8 MiB: shorten values, or send them in several requests. ' +
        'Import the file again to finish it.\n',
    );
    const total = async () => (await get('/units?limit=1')).body.pagination.total;
    expect(await total()).toBe(110);
    expect(await eventsOf('part-110')).toEqual([]);
    const corrected = units.map((one) => ({ ...one, media: [] }));
    expect((await importUnits(...corrected)).counts.at(-1)).toMatchObject({
      created: 20,
      updated: 0,
      unchanged: 110,
    });
    expect(await total()).toBe(130);
  });
});

describe('catalog import after Ctrl-C', () => {
  it('restores the terminal and prints its progress', async () => {
    const count = rounds(4_000, 12_000);
    const amenities = Array.from({ length: count }, (_, index) => ({
      slug: `amenity-${index}`,
      name: { 'en-us': `Amenity ${index}` },
    }));
    const file = join(folder, 'large');
    await writeFile(file, JSON.stringify({ amenities }));
    const { organizationId } = await addTenant(service.db);
    const args = ['catalog', 'import', file, '--org', organizationId.toHexString()];
    const terminal = runCliOnTerminal(args, { MONGODB_URI: service.databaseUri });
    await terminal.untilShown(new RegExp(`[1-9]\\d* of ${count}`));
    terminal.type(ctrlC);
    const { code, output } = await terminal.ended;
    const stopped = new RegExp(
      `Stopped: (\\d+) of ${count} entries stored\\. Import the file again`,
    );
    const [, told] = stopped.exec(output) ?? [];
    expect([code, Number(told) > 0]).toEqual([130, true]);
    expect(output.lastIndexOf('\u001B[?7h')).toBeGreaterThan(output.lastIndexOf('\u001B[?7l'));
    const stored = await service.db.collection('amenities').countDocuments({ organizationId });
    expect(stored).toBeGreaterThanOrEqual(Number(told));
    expect(stored).toBeLessThan(count);
  });
});
