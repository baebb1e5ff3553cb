import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addReservation } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { ctrlC } from '../support/terminal.js';
import { statusSpelling } from '../units/status-spellings.js';
import { runCli, runCliOnTerminal, runCliProcess } from './command-line.js';

const service = sharedService();
let tenant: TenantApi;
let folder: string;

beforeAll(async () => {
  tenant = await service.addTenant();
  folder = await mkdtemp(join(tmpdir(), 'integration-api-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Report {
  readonly faults: { readonly place: string; readonly message: string }[];
  readonly counts: Record<'created' | 'updated' | 'unchanged', number>[];
}

const variables = () => ({ MONGODB_URI: service.databaseUri, LOG_LEVEL: 'error' });

/** Writes the content to a file and returns the arguments that import it for the tenant. */
async function importArgs(content: string | object): Promise<string[]> {
  const file = join(folder, 'catalogue');
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  await writeFile(file, isText ? content : JSON.stringify(content));
  return ['catalog', 'import', file, '--org', tenant.organizationId.toHexString()];
}

const run = async (content: string | object) => runCli(await importArgs(content), variables());
const report = async (content: string | object) => {
  const { code, stdout } = await runCli([...(await importArgs(content)), '--json'], variables());
  const { faults, counts } = JSON.parse(stdout) as Report;
  const each = counts.map(({ created, updated, unchanged }) => [created, updated, unchanged]);
  return { code, faults, counts: each.map((one) => one.join('/')).join(' ') };
};
const name = (english: string, arabic: string) => ({ 'en-us': english, 'ar-eg': arabic });

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

describe('the command catalog import', () => {
  it('stores a catalogue in both languages, and nothing on a second import', async () => {
    const counts = '1/0/0 2/0/0 1/0/0 1/0/0 1/0/0 2/0/0';
    expect(await report(catalogue)).toEqual({ code: 0, faults: [], counts });
    const path = `/units/${encodeURIComponent('فيلا-١')}`;
    const { body } = await tenant.get(path).set('language', 'ar-eg');
    expect(body.data).toMatchObject({
      name: 'فيلا ١',
      phase: { name: 'الشمال' },
      type: { name: 'فيلا' },
      unitDesign: { name: 'Oasis Villa', amenitiesIds: [expect.any(String)] },
      amenities: [{ name: 'حمام سباحة' }, { name: 'Gym' }],
      media: [{ image: 'https://cdn.example.com/v1.jpg', imageType: null, type: 'image' }],
      price: 5_000_000,
    });
    const compounds = (await tenant.get('/compounds')).body.data;
    expect(compounds).toMatchObject([
      { name: 'Oasis', mainBrochure: { dateUploaded: '2026-01-05T09:30:00.000Z' } },
    ]);
    const tag = (await tenant.get('/compounds/oasis/units')).headers['etag'] ?? '';
    expect((await report(catalogue)).counts).toBe('0/0/1 0/0/2 0/0/1 0/0/1 0/0/1 0/0/2');
    expect((await run(catalogue)).stdout).toMatch(/^units +0 +0 +2$/m);
    await tenant.get('/compounds/oasis/units').set('if-none-match', tag).expect(304);
  });

  it('updates only the fields that an NDJSON file contains', async () => {
    const [villa, bare] = catalogue.units;
    const lines = [
      { kind: 'units', ...bare, price: 7 },
      { kind: 'units', ...villa, phase: undefined, price: 8 },
    ].map((line) => JSON.stringify(line));
    const { counts } = await report(`\uFEFF${lines.join('\r\n\r\n')}\n`);
    expect(counts).toBe('0/0/0 0/0/0 0/0/0 0/0/0 0/0/0 0/2/0');
    const { data } = (await tenant.get('/units?sort=price')).body;
    expect(data).toMatchObject([
      { slug: 'bare', price: 7 },
      { price: 8, phase: { slug: 'oasis-north' } },
    ]);
  });

  it('refuses an invalid file, lists each error with its location and stores nothing', async () => {
    const [villa] = catalogue.units;
    const villaInPhase = { ...villa, phase: 'p' };
    const { code, faults } = await report({
      compounds: [{ slug: 'new', name: { 'ar-eg': 'جديد' }, showOnMap: 'yes', media: 7 }],
      propertyTypes: [{ slug: 'a b', name: { 'en-us': 'A' } }],
      amenities: [{ slug: 'pool', name: { 'en-us': 'Pool' }, icon: 'pool.svg' }],
      phases: [{ slug: 'p', name: { 'en-us': 'P' }, compound: 'nowhere' }],
      units: [
        { ...villa, slug: 'other', unitId: 'V-9', price: -1 },
        { ...villa, slug: 'thief', unitId: 'V-1' },
        { ...villaInPhase, slug: 'twin', unitId: 'V-3', recordSystemId: 'x', colour: 1 },
        { ...villaInPhase, slug: 'stray', unitId: 'V-4', recordSystemId: 'y', amenities: ['?'] },
        { ...villa, slug: 'stray', unitId: 'V-4', recordSystemId: 'z', compound: 'new' },
      ],
      villas: [],
    });
    expect(code).toBe(1);
    const any = expect.any(String);
    expect(Object.fromEntries(faults.map(({ place, message }) => [place, message]))).toEqual({
      'amenities[0].icon': 'must be an http or https URL',
      'compounds[0].media': 'must be an array',
      'compounds[0].name.en-us': 'must be a string',
      'compounds[0].showOnMap': 'must be a boolean',
      'phases[0].compound': 'no entry of compounds has the slug nowhere',
      'propertyTypes[0].slug': expect.stringMatching(/^must not contain spaces/),
      'units[0].price': any,
      'units[1].recordSystemId': any,
      'units[1].unitId': any,
      'units[2].colour': 'is not a known field',
      'units[3].amenities.0': any,
      'units[3].phase': any,
      'units[4].phase': any,
      'units[4].slug': any,
      villas: any,
    });
    expect([await tenant.count('units'), await tenant.count('phases')]).toEqual([2, 1]);
  });

  it('stores a default type for a new phase, and keeps a stored type', async () => {
    const entry = (slug: string) => ({ slug, name: { 'en-us': slug }, compound: 'oasis' });
    await report({ phases: [{ ...entry('typed'), type: 'Zone' }, entry('untyped')] });
    const { counts } = await report({ phases: [entry('typed'), entry('untyped')] });
    expect(counts).toBe('0/0/0 0/0/0 0/0/0 0/0/2 0/0/0 0/0/0');
    const phases = await tenant.stored('phases', { slug: { $in: ['typed', 'untyped'] } });
    expect(phases).toMatchObject([{ type: 'Zone' }, { type: 'Phase' }]);
  });

  it('refuses NDJSON with the lines of errors, and JSON that is not a catalogue', async () => {
    const lines = ['{"kind":"amenities","slug":"a","name":{"en-us":"A"}}', '', '{', '{"kind":"x"}'];
    const { stdout, stderr, code } = await run(lines.join('\n'));
    expect([code, stderr]).toEqual([1, 'The file has 2 errors. Nothing was stored.\n']);
    expect(stdout).toMatch(/^line 3 .*JSON/m);
    expect(stdout).toMatch(/^line 4: kind .*must be one of propertyTypes, /m);
    const { faults } = await report('[1]');
    expect(faults).toEqual([{ place: 'file', message: expect.any(String) }]);
    expect((await run('[1]')).stderr).toBe('The file has 1 error. Nothing was stored.\n');
  });

  it('refuses CSV and UTF-16 with a message that says what to do', async () => {
    const csv = 'kind,slug,compound\nunits,a,bay\n';
    const { code, faults } = await report(csv);
    const message =
      'is neither JSON nor NDJSON. Convert each row of a CSV file to a line with a JSON object and its "kind"';
    expect([code, faults]).toEqual([1, [{ place: 'file', message }]]);
    const { stderr } = await run(Buffer.from('{"units":[]}', 'utf16le'));
    expect(stderr).toBe(
      'The file is UTF-16. Save it as UTF-8 (in Excel: "CSV UTF-8"), then run the command again.\n',
    );
  });
});

describe('the command catalog import for a stored catalogue', () => {
  const compound = { slug: 'bay', name: { 'en-us': 'Bay', 'ar-eg': 'خليج' } };
  const unit = (slug: string, fields: object = {}) => {
    const required = { slug, name: { 'en-us': slug }, compound: 'bay', unitId: slug };
    return { ...required, ...fields };
  };
  const importUnits = (...units: object[]) => report({ compounds: [compound], units });
  const eventsOf = async (slug: string) => {
    const events = await tenant.stored('outboxEvents', { 'data.slug': slug });
    const fields = (changes: { field: string }[] = []) => changes.map(({ field }) => field);
    return events.map(({ type, changes }) => [type, ...fields(changes)].join(' '));
  };

  beforeEach(async () => {
    tenant = await service.addTenant();
  });

  it('keeps the status of a reserved unit', async () => {
    const slugs = ['sold', 'reserved', 'free', 'held'];
    await importUnits(...slugs.map((slug) => unit(slug, { status: 'Available' })));
    for (const [slug, status] of [
      ['sold', 'pending'],
      ['sold', 'approved'],
      ['reserved', 'pending'],
      ['free', 'canceled'],
      ['held', 'approved'],
    ] as const) {
      const { _id } = await tenant.storedOne('units', { slug });
      await tenant.add(addReservation, _id, { status });
    }
    const statuses = async () => (await tenant.stored('units')).map(({ status }) => String(status));
    expect(await statuses()).toEqual(slugs.map(() => 'Available'));
    const sent = ['Available', 'Sold', 'Sold', 'Available'];
    for (const status of [sent, []]) {
      await importUnits(...slugs.map((slug, index) => unit(slug, { status: status[index] })));
      expect(await statuses()).toEqual(['Sold', 'Reserved', 'Sold', 'Sold']);
    }
  });

  it('recognizes Available, Reserved and Sold in every spelling', async () => {
    const spellings = fc.sample(statusSpelling, rounds(200, 1_000));
    const slugs = spellings.map((_spelling, index) => `spelled-${index}`);
    const units = spellings.map(({ status }, index) => unit(`spelled-${index}`, { status }));
    const expectStored = async (statuses: string[]) =>
      expect((await tenant.stored('units')).map(({ status }) => String(status))).toEqual(statuses);
    await importUnits(...units);
    await expectStored(spellings.map(({ documented }) => documented));
    for (const { _id } of await tenant.stored('units')) {
      await tenant.add(addReservation, _id, { status: 'approved' });
    }
    await importUnits(...units);
    await expectStored(spellings.map(() => 'Sold'));
    // Another program stores its own spelling, which an import without a status replaces.
    for (const [index, { status }] of spellings.entries()) {
      await tenant.set('units', { slug: `spelled-${index}` }, { status });
    }
    await importUnits(...slugs.map((slug) => unit(slug)));
    await expectStored(spellings.map(() => 'Sold'));
  });

  it('keeps translations missing in the file, and emits events as POST /units does', async () => {
    const arabic = { name: { 'en-us': 'Cove', 'ar-eg': 'كوف' }, recordSystemId: 'erp' };
    await importUnits(unit('cove', arabic), unit('bare'));
    const defaults = { status: 'Available', rentalStatus: 'Unavailable' };
    expect(await tenant.storedOne('units', { slug: 'bare' })).toMatchObject(defaults);
    await tenant.set('units', { slug: 'bare' }, { status: null, rentalStatus: null });
    const { counts } = await report({
      compounds: [{ ...compound, name: { 'en-us': 'Blue Bay' } }],
      units: [unit('cove', { name: { 'en-us': 'Blue Cove' }, price: 5 }), unit('bare')],
    });
    expect(counts).toBe('0/0/0 0/0/0 0/1/0 0/0/0 0/0/0 0/2/0');
    const names = { name: name('Blue Cove', 'كوف') };
    expect(await tenant.storedOne('units', { slug: 'cove' })).toMatchObject(names);
    expect(await tenant.stored('compounds')).toMatchObject([{ name: name('Blue Bay', 'خليج') }]);
    expect(await tenant.storedOne('units', { slug: 'bare' })).toMatchObject(defaults);
    expect(await eventsOf('cove')).toEqual(['unit.created', 'unit.updated name.en-us price']);
    expect(await eventsOf('bare')).toEqual(['unit.created', 'unit.updated status rentalStatus']);
  });

  it('stores one catalogue when two imports and many requests run concurrently', async () => {
    const count = rounds(60, 150);
    const units = Array.from({ length: count }, (_, index) => unit(`race-${index}`));
    const phases = [{ slug: 'shore', name: { 'en-us': 'Shore' }, compound: 'bay' }];
    await importUnits();
    const args = await importArgs({ compounds: [compound], phases, units });
    const imports = [runCli(args, variables()), runCliProcess(args, variables())];
    let areRunning = true;
    const finished = Promise.all(imports).finally(() => (areRunning = false));
    const statuses = new Set<number>();
    for (let end = count; end > 0 && areRunning; end -= 5) {
      const bodies = units.slice(end - 5, end).map(({ slug, unitId, compound: of }) => {
        return { unitId, compound: of, name: slug, price: 1 };
      });
      const sent = bodies.map((body) => tenant.post('/units', body));
      for (const { status } of await Promise.all(sent)) statuses.add(status);
    }
    for (const outcome of await finished) expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect([...statuses].filter((status) => status > 201)).toEqual([]);
    expect(await tenant.count('units', { isDeleted: false })).toBe(count);
    expect(await tenant.count('phases', { isDeleted: false })).toBe(1);
    expect(await tenant.count('outboxEvents', { type: 'unit.created' })).toBe(count);
  });

  it('prints its progress when it is interrupted, and completes when it runs again', async () => {
    const long = '\u0001'.repeat(2_048);
    const image = { image: 'https://cdn.example.com/a.jpg', imageType: long, type: long };
    const media = Array.from({ length: 400 }, () => image);
    const units = Array.from({ length: 130 }, (_, index) =>
      unit(`part-${index}`, index === 110 ? { media } : {}),
    );
    expect(await run({ compounds: [compound], units })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The import stopped after 111 of 131 entries: The event about this change would exceed ' +
        '8 MiB: shorten values, or send them in several requests. ' +
        'Import the file again to finish it.\n',
    });
    expect(await tenant.count('units')).toBe(110);
    expect(await eventsOf('part-110')).toEqual([]);
    const { counts } = await importUnits(...units.map((one) => ({ ...one, media: [] })));
    expect(counts).toMatch(/ 20\/0\/110$/);
    expect(await tenant.count('units')).toBe(130);
  });

  it('restores the terminal and prints its progress after Ctrl-C', async () => {
    const count = rounds(4_000, 12_000);
    const amenities = Array.from({ length: count }, (_, index) => ({
      slug: `amenity-${index}`,
      name: { 'en-us': `Amenity ${index}` },
    }));
    const terminal = runCliOnTerminal(await importArgs({ amenities }), variables());
    await terminal.untilShown(new RegExp(`[1-9]\\d* of ${count}`));
    terminal.type(ctrlC);
    const { code, output } = await terminal.ended;
    const stopped = `Stopped: (\\d+) of ${count} entries stored\\. Import the file again`;
    const shown = Number(new RegExp(stopped).exec(output)?.[1]);
    expect([code, shown > 0]).toEqual([130, true]);
    expect(output.lastIndexOf('\u001B[?7h')).toBeGreaterThan(output.lastIndexOf('\u001B[?7l'));
    const stored = await tenant.count('amenities');
    expect(stored).toBeGreaterThanOrEqual(shown);
    expect(stored).toBeLessThan(count);
  });
});
