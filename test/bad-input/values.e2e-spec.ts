import { beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { readCatalogue } from '../../src/operator/catalogue-import/catalogue-file.js';
import * as options from '../../src/operator/cli/command-line/option-values.js';
import { addCompound, addReservation, addUnit } from '../support/builders.js';
import { withValueAt } from '../support/operations.js';
import { isFull } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;
let reservationId: string;

beforeAll(async () => {
  tenant = await service.addTenant();
  await tenant.add(addCompound, { 'en-us': 'Lake' }, { slug: 'lake' });
  const unitId = await tenant.add(addUnit, { slug: 'villa' });
  reservationId = (await tenant.add(addReservation, unitId)).toHexString();
});

/** Sends a value and returns whether it is accepted, or null if the channel cannot carry it. */
type Channel = (value: unknown) => Promise<boolean | null> | boolean | null;
type Channels = Readonly<Record<string, Channel>>;

const statusOf = async (path: string, body?: object): Promise<number> => {
  const { status } = await (body === undefined ? tenant.get(path) : tenant.post(path, body));
  expect([200, 201, 400, 404, 414]).toContain(status);
  return status;
};
/** A 404 also means that the value is valid, while a path that is too long returns 414. */
const accepts = async (path: string, body?: object): Promise<boolean> =>
  [200, 201, 404].includes(await statusOf(path, body));
const isFound = async (path: string, body?: object): Promise<boolean> =>
  (await statusOf(path, body)) < 400;

let lastUnit = 0;
const newUnit = () => ({ recordSystemId: `unit-${lastUnit++}`, compound: 'lake' });

const bodies: Readonly<Record<string, () => object>> = {
  '/leads': () => ({}),
  '/units': newUnit,
  '/reservations': () => ({ unit: 'villa', cheques: [{ installmentId: 'one' }] }),
  '/reservations/webhook': () => ({ reservationId }),
};

/** Returns a channel for each position in the body, such as `cheques.[].dueDate`. */
const inBody = (path: string, ...positions: string[]): Channels =>
  Object.fromEntries(
    positions.map((position) => [
      `POST ${path}, ${position}`,
      (value) => accepts(path, withValueAt(bodies[path]?.(), position.split('.'), value) as object),
    ]),
  );

/** Paths, queries and arguments can carry only well-formed strings. */
const forStrings =
  (accept: (text: string) => ReturnType<Channel>): Channel =>
  (value) =>
    typeof value === 'string' && value.isWellFormed() ? accept(value) : null;

const inQuery = (path: string, ...parameters: string[]): Channels =>
  Object.fromEntries(
    parameters.map((parameter) => [
      `GET ${path}?${parameter}`,
      forStrings((text) => accepts(`${path}?${parameter}=${encodeURIComponent(text)}`)),
    ]),
  );

const inOption = (read: (argument: string) => unknown): Channels => ({
  'the command line': forStrings((text) => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  }),
});

const brochure = { dateUploaded: '2026-01-31', name: 'Plan', url: 'https://cdn.example.com/a.pdf' };
/** Entries of an import need these fields in addition to slug and name. */
const requiredFields: Readonly<Record<string, object>> = {
  units: { compound: 'lake', unitId: 'U-1' },
  phases: { compound: 'lake' },
  compounds: { mainBrochure: brochure, brochures: [brochure] },
};

const isImported = (kind: string, position: string, value: unknown): boolean => {
  const entry = { slug: 'new', name: { 'en-us': 'New' }, ...requiredFields[kind] };
  const text = JSON.stringify({ [kind]: [withValueAt(entry, position.split('.'), value)] });
  return readCatalogue(text, ({ key }) => key).errors.length === 0;
};

const inImport = (kind: string, ...positions: string[]): Channels =>
  Object.fromEntries(
    positions.map((position) => [
      `an import of ${kind}, ${position}`,
      (value) => isImported(kind, position, value),
    ]),
  );

const notStrings: readonly unknown[] = [7, ['x'], {}, { $ne: null }, { constructor: 'x' }];

interface Table {
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
  readonly channels: Channels;
}

const tables: Readonly<Record<string, Table>> = {
  'an external id': {
    accepted: [' padded ', '__proto__', '$ne', 'a/b', 'a%2Fb', 'سعر', '\u0001', '🏠'.repeat(1_024)],
    refused: ['', '🏠'.repeat(1_025), 'a\0b', 'x\udc00', ...notStrings],
    channels: {
      ...inBody('/leads', 'recordSystemId'),
      ...inBody('/units', 'recordSystemId', 'unitId'),
      ...inBody('/reservations', 'recordSystemId', 'unit.recordSystemId', 'unit.unitId'),
      ...inBody('/reservations', 'lead.recordSystemId', 'cheques.[].installmentId'),
      ...inBody('/reservations/webhook', 'installmentId'),
      'GET /leads/:recordSystemId': forStrings((text) =>
        text === '' ? null : accepts(`/leads/${encodeURIComponent(text)}`),
      ),
      ...inQuery('/units', 'recordSystemId', 'unitId'),
      ...inQuery('/units/export/all', 'unitId'),
      ...inImport('units', 'recordSystemId', 'unitId'),
      ...inOption(options.externalId),
    },
  },
  'a time': {
    accepted: [
      '2024-02-29',
      '2026-01-31T10:00Z',
      '2026-01-31T10:00:00.123456Z',
      '2026-01-31T10:00:00-05:30',
      '2026-01-31T10:00+0200',
      '2026-01-31T10:00:00.5 02:00',
      '2026-01-31T10:00+02',
      '2026-01-31T10:00 02',
      '2026-01-31T10:00:00-0530',
      '2026-01-31 10:00Z',
      '2026-01-31 10:00:00+00:00',
      '2026-01-31 10:00 0200',
    ],
    refused: [
      '',
      '1700000000',
      '2026-02-30',
      '2025-02-29T00:00Z',
      '2026-W05-1',
      '2026-01-31T10:00',
      '2026-01-31 10:00',
      '2026-01-31  10:00Z',
      '2026-01-31T10:00+2',
      '2026-01-31T10:00+02:',
      '2026-01-31T10:00+020',
      '2026-01-31Z',
      '2026-01-31T24:00Z',
      '2026-01-31T10:60Z',
      '2026-01-31T10:00:60Z',
      '2026-01-31T10:00+25:00',
      '2026-01-31T10:00Z ',
      '+02026-01-31',
      ...notStrings,
    ],
    channels: {
      ...inQuery('/compounds', 'updatedSince'),
      ...inQuery('/units', 'updatedSince'),
      ...inQuery('/units/export/all', 'updatedSince'),
      ...inBody('/reservations', 'cheques.[].dueDate'),
      ...inImport('compounds', 'mainBrochure.dateUploaded'),
      ...inOption(options.time),
    },
  },
  'a quantity': {
    accepted: [0, 1, 0.5, 12_500_000.25, 1e300, Number.MAX_SAFE_INTEGER],
    refused: [-1, -0.5, -1e-9, '5', '', true, [1], {}, { $gt: 0 }],
    channels: {
      ...inBody('/units', 'price', 'bua', 'beds'),
      ...inImport('units', 'price'),
      ...inImport('compounds', 'area'),
      ...inImport('phases', 'landArea'),
    },
  },
  'an amount of money': {
    accepted: [0, -1, 0.5, 1e300],
    refused: ['5', true, [1], {}],
    channels: {
      ...inBody('/reservations/webhook', 'chequeAmount'),
      ...inBody('/reservations', 'cheques.[].chequeAmount'),
    },
  },
  'a number of a query': {
    accepted: ['0', '1', '007', '0.5', '9007199254740991'],
    refused: ['', '-1', '+1', ' 1', '1e3', '0x1', '1.', '.5', 'Infinity', '99999999999999999999'],
    channels: inQuery('/units', 'minPrice', 'maxPrice', 'minBua', 'maxBua', 'minBeds', 'maxBeds'),
  },
  'a number of items': {
    accepted: ['1', '7', '100'],
    refused: ['', '0', '-1', '1.5', '1e1', ' 1', 'ten', '99999999999999999999'],
    channels: {
      ...inQuery('/compounds', 'page', 'limit'),
      ...inQuery('/units', 'page', 'limit'),
      ...inOption(options.limit),
    },
  },
  'a string of the catalogue': {
    accepted: [' padded ', 'constructor', 'سعر', '🏠'.repeat(2_048)],
    refused: ['', ' ', '\n', 'x'.repeat(2_049), 'a\0b', '\ud800', 7, true, [], {}],
    channels: {
      ...inBody('/units', 'name', 'name.ar-eg', 'floor.name', 'listingType.[]'),
      ...inImport('units', 'name.en-us', 'floor.name', 'listingType.[]'),
      ...inOption(options.name),
    },
  },
  'a string that is stored unchanged': {
    accepted: ['x', ' ', ' padded ', 'constructor', '\0', '🏠'.repeat(3_000)],
    refused: ['', '\ud800', 7, true, [], {}, { $ne: null }],
    channels: {
      ...inBody('/leads', 'name'),
      ...inBody('/units', 'status', 'saleType'),
      ...inImport('units', 'status', 'saleType'),
    },
  },
  'an address': {
    accepted: ['https://cdn.example.com/a.jpg', 'http://a/%00?b#c', 'HTTPS://A'],
    refused: [
      '',
      '/plan.png',
      '//a',
      'https://',
      'https://a\0',
      'JavaScript://x/%0aalert(1)',
      ' java\nscript:alert(1)',
      'data:text/html,x',
      'blob:https://a/b',
      ...notStrings,
    ],
    channels: {
      ...inBody('/units', 'media.[].image'),
      ...inImport('units', 'media.[].image'),
      ...inImport('compounds', 'logo', 'brochures.[].url'),
      ...inImport('amenities', 'icon'),
      ...inOption(options.url),
    },
  },
};

describe.each(Object.entries(tables))('%s', (_title, { accepted, refused, channels }) => {
  const names = Object.keys(channels);

  it.each(Object.entries(channels))(
    'is accepted or refused by the same rule in %s',
    async (name, channel) => {
      const rows = [...accepted, ...refused].map((value, index) => ({ value, index }));
      // The short run tests every second value, alternating between channels.
      const parity = names.indexOf(name) % 2;
      for (const { value, index } of rows) {
        if (!isFull && index % 2 !== parity) continue;
        const outcome = await channel(value);
        const expected = outcome === null ? null : index < accepted.length;
        expect([shortened(value), outcome]).toEqual([shortened(value), expected]);
      }
    },
  );
});

describe('an ObjectId', () => {
  const found: Channels = {
    'GET /reservations/:reservationId': forStrings((id) =>
      isFound(`/reservations/${encodeURIComponent(id)}`),
    ),
    'the callback': (reservation) =>
      isFound('/reservations/webhook', { reservationId: reservation }),
    ...inOption(options.objectId),
  };

  it.each(Object.entries(found))(
    'is accepted or refused by the same rule in %s',
    async (_title, channel) => {
      const accepted = [reservationId, reservationId.toUpperCase()];
      const refused = [`${reservationId}0`, 'twelve-chars', 'z'.repeat(24), `${reservationId}\0`];
      for (const id of accepted) expect([id, await channel(id)]).toEqual([id, true]);
      for (const id of refused) expect([id, await channel(id)]).toEqual([id, false]);
      for (const id of notStrings) expect(await channel(id)).not.toBe(true);
    },
  );
});

describe('a slug', () => {
  const slugs = ['lake', 'constructor', '__proto__', 'فيلا-١', 'a/b', '🏠'.repeat(400)];

  beforeAll(async () => {
    tenant = await service.addTenant();
    for (const slug of slugs) {
      await tenant.add(addCompound, { 'en-us': 'Named' }, { slug });
      await tenant.add(addUnit, { slug, compoundId: new ObjectId() });
    }
  });

  it('is found exactly as stored wherever it is sent', async () => {
    for (const slug of slugs) {
      const path = encodeURIComponent(slug);
      const statuses = [
        await isFound(`/units/${path}`),
        await isFound(`/compounds/${path}/units`),
        await isFound('/units', { ...newUnit(), compound: slug }),
        await isFound('/reservations', { unit: slug }),
        isImported('units', 'compound', slug),
      ];
      expect([slug, ...statuses]).toEqual([slug, true, true, true, true, true]);
    }
  });

  it('is refused for new records when it is not a single path segment', () => {
    const isImportedSlug = (slug: string) => isImported('propertyTypes', 'slug', slug);
    for (const slug of slugs) expect([slug, isImportedSlug(slug)]).toEqual([slug, slug !== 'a/b']);
    const refused = ['.', '..', 'a b', 'a\n', 'a\\b', 'a?b', 'a#b', 'a%20b'];
    for (const slug of refused) expect([slug, isImportedSlug(slug)]).toEqual([slug, false]);
    expect(isImportedSlug('a.b_c~1')).toBe(true);
  });

  it.each(['a\0b', '\ud800', '', ...notStrings])('is refused when it is %j', async (slug) => {
    const outcomes = [
      await accepts('/units', { ...newUnit(), compound: slug }),
      await accepts('/units', { unitId: 'x', compound: 'lake', phase: slug }),
      await accepts('/reservations', { unit: slug }),
      isImported('units', 'compound', slug),
      isImported('phases', 'slug', slug),
    ];
    expect(outcomes).toEqual(outcomes.map(() => false));
  });
});

describe('a time without a zone', () => {
  const hint = 'has no time zone: add Z or an offset such as +02:00';

  it.each(['2026-01-31T10:00', '2026-01-31 10:00:00.5'])(
    'is refused with a message about the zone: %s',
    async (time) => {
      const escaped = encodeURIComponent(time);
      for (const path of ['/compounds', '/units', '/units/export/all']) {
        const { body } = await tenant.get(`${path}?updatedSince=${escaped}`).expect(400);
        expect(body.message).toEqual([`updatedSince ${hint}`]);
      }
      const cheques = [{ installmentId: '1', dueDate: time }];
      const { body } = await tenant.post('/reservations', { unit: 'villa', cheques }).expect(400);
      expect(body.message).toEqual([`cheques.0.dueDate ${hint}`]);
      for (const read of [options.time, options.expiry]) {
        expect(() => read(time)).toThrow(`It ${hint}.`);
      }
      const mainBrochure = { ...brochure, dateUploaded: time };
      const entry = { slug: 'new', name: { 'en-us': 'New' }, mainBrochure };
      const { errors } = readCatalogue(JSON.stringify({ compounds: [entry] }), ({ key }) => key);
      expect(errors.map(({ message }) => message)).toEqual(['validation.hasTimeZone']);
    },
  );
});

describe('a time in a query', () => {
  it('is accepted with an unescaped plus sign', async () => {
    const updatedAt = new Date('2030-01-01T10:00:00Z');
    await tenant.add(addUnit, { slug: 'late', unitId: 'late', updatedAt });
    const countSince = async (time: string) =>
      (await tenant.get(`/units?updatedSince=${time}&unitId=late`)).body.data.length;
    expect(await countSince('2030-01-01T12:00+02:00')).toBe(1);
    expect(await countSince('2030-01-01T12:00%2B02:00')).toBe(1);
    expect(await countSince('2030-01-01T12:01+02:00')).toBe(0);
  });
});

function shortened(value: unknown): unknown {
  return typeof value === 'string' && value.length > 40 ? value.slice(0, 40) : value;
}
