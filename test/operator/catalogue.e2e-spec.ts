import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { openTerminal, type Outcome, runCli } from './command-line.js';

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
  it('stores a whole catalogue in both languages, and nothing the second time', async () => {
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
    await get('/compounds/oasis/units').set('if-none-match', tag).expect(304);
  });

  it('changes what a file says and leaves the rest, line by line too', async () => {
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

  it('lists every error with its location and stores nothing', async () => {
    const [villa] = catalogue.units;
    const bad = {
      compounds: [{ slug: 'new', name: { 'ar-eg': 'جديد' } }],
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
    expect(faults.map(({ place }) => place).toSorted()).toEqual([
      'compounds[0].name.en-us',
      'phases[0].compound',
      'units[0].price',
      'units[1].recordSystemId',
      'units[1].unitId',
      'units[2]',
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

  it('names the lines of NDJSON, and what is no catalogue at all', async () => {
    const lines = ['{"kind":"amenities","slug":"a","name":{"en-us":"A"}}', '', '{', '{"kind":"x"}'];
    const { stdout, stderr, code } = await run(lines.join('\n'));
    expect([code, stderr]).toEqual([1, 'The file has 2 faults, nothing was stored.\n']);
    expect(stdout).toMatch(/^line 3 .*JSON/m);
    expect(stdout).toMatch(/^line 4: kind .*must be one of propertyTypes, /m);
    const { faults } = await report('[1]');
    expect(faults).toEqual([{ place: 'file', message: expect.any(String) }]);
  });

  it('takes 10,000 units in one go', async () => {
    const units = Array.from({ length: 10_000 }, (_, index) =>
      JSON.stringify({
        kind: 'units',
        slug: `many-${index}`,
        name: name(`Unit ${index}`, `وحدة ${index}`),
        compound: 'oasis',
        unitId: `M-${index}`,
        amenities: ['gym'],
      }),
    );
    const { stdout, code } = await run(units.join('\n'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^units +10000 +0 +0$/m);
    expect((await get('/units?limit=1')).body.pagination.total).toBe(10_002);
  });
});

describe('ctrl-C in an import', () => {
  it('leaves the terminal as it was and says how far it came', async () => {
    const amenities = Array.from({ length: 12_000 }, (_, index) => ({
      slug: `amenity-${index}`,
      name: { 'en-us': `Amenity ${index}` },
    }));
    const file = join(folder, 'large');
    await writeFile(file, JSON.stringify({ amenities }));
    const { organizationId } = await addTenant(service.db);
    const args = ['catalog', 'import', file, '--org', organizationId.toHexString()];
    const terminal = openTerminal(args, { MONGODB_URI: service.databaseUri });
    await terminal.untilShown(/[1-9]\d* of 12000/);
    terminal.type('\u0003');
    const { code, output } = await terminal.ended;
    const [, told] =
      /Stopped: (\d+) of 12000 entries stored\. Import the file again/.exec(output) ?? [];
    expect([code, Number(told) >= 500]).toEqual([130, true]);
    expect(output.lastIndexOf('\u001B[?7h')).toBeGreaterThan(output.lastIndexOf('\u001B[?7l'));
    const stored = await service.db.collection('amenities').countDocuments({ organizationId });
    expect(stored).toBeGreaterThanOrEqual(Number(told));
    expect(stored).toBeLessThan(12_000);
  });
});
