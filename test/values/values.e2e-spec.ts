import { beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { readCatalogue } from '../../src/operator/catalogue-import/catalogue-file.js';
import * as options from '../../src/operator/cli/command-line/option-values.js';
import {
  addCompound,
  addReservation,
  addTenant,
  addUnit,
  type Tenant,
} from '../support/builders.js';
import { withValueAt } from '../support/operations.js';
import { isFull } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let reservationId: string;

beforeAll(async () => {
  tenant = await addTenant(service.db);
  const { organizationId } = tenant;
  await addCompound(service.db, organizationId, { 'en-us': 'Lake' }, { slug: 'lake' });
  const unitId = await addUnit(service.db, organizationId, { slug: 'villa' });
  reservationId = (await addReservation(service.db, organizationId, unitId)).toHexString();
});

/** Where a kind of value enters; gives whether it is accepted, null for what cannot enter there. */
type Entrance = (value: unknown) => Promise<boolean | null> | boolean | null;
type Entrances = Readonly<Record<string, Entrance>>;

/** A value that is found or not has been accepted; 414 is a path that is far too long. */
const accepts = async (path: string, body?: object): Promise<boolean> => {
  const method = body === undefined ? 'get' : 'post';
  const request = service.api(method, path).set('api-key', tenant.key);
  const { status } = await (body === undefined ? request : request.send(body));
  if (status === 400 || status === 414) return false;
  expect([200, 201, 404]).toContain(status);
  return true;
};

let lastUnit = 0;
const newUnit = () => ({ recordSystemId: `unit-${lastUnit++}`, compound: 'lake' });

/** Valid bodies, by the path of the operation. */
const bodies: Readonly<Record<string, () => object>> = {
  '/leads': () => ({}),
  '/units': newUnit,
  '/reservations': () => ({ unit: 'villa', cheques: [{ installmentId: 'one' }] }),
  '/reservations/webhook': () => ({ reservationId }),
};

/** Entrances at positions such as `cheques.[].dueDate` of the body. */
const inBody = (path: string, ...positions: string[]): Entrances =>
  Object.fromEntries(
    positions.map((position) => [
      `POST ${path}, ${position}`,
      (value) => accepts(path, withValueAt(bodies[path]?.(), position.split('.'), value) as object),
    ]),
  );

/** Paths, queries and arguments carry well-formed texts only, and no path an empty one. */
const asText =
  (accept: (text: string) => ReturnType<Entrance>): Entrance =>
  (value) =>
    typeof value === 'string' && value.isWellFormed() ? accept(value) : null;

const inQuery = (path: string, ...parameters: string[]): Entrances =>
  Object.fromEntries(
    parameters.map((parameter) => [
      `GET ${path}?${parameter}`,
      asText((text) => accepts(`${path}?${parameter}=${encodeURIComponent(text)}`)),
    ]),
  );

const inOption = (read: (argument: string) => unknown): Entrances => ({
  'the command line': asText((text) => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  }),
});

const brochure = { dateUploaded: '2026-01-31', name: 'Plan', url: 'https://cdn.example.com/a.pdf' };
/** Fields of entries of an import, beyond slug and name. */
const imported: Readonly<Record<string, object>> = {
  units: { compound: 'lake', unitId: 'U-1' },
  phases: { compound: 'lake' },
  compounds: { mainBrochure: brochure, brochures: [brochure] },
};

const isImported = (kind: string, position: string, value: unknown): boolean => {
  const entry = { slug: 'new', name: { 'en-us': 'New' }, ...imported[kind] };
  const text = JSON.stringify({ [kind]: [withValueAt(entry, position.split('.'), value)] });
  return readCatalogue(text, ({ key }) => key).errors.length === 0;
};

const inImport = (kind: string, ...positions: string[]): Entrances =>
  Object.fromEntries(
    positions.map((position) => [
      `an import of ${kind}, ${position}`,
      (value) => isImported(kind, position, value),
    ]),
  );

const notTexts: readonly unknown[] = [
  null,
  7,
  true,
  ['x'],
  {},
  { $ne: null },
  { constructor: 'x' },
];

interface Table {
  readonly accepted: readonly unknown[];
  readonly rejected: readonly unknown[];
  readonly entrances: Entrances;
}

const tables: Readonly<Record<string, Table>> = {
  'an external id': {
    accepted: [
      'x',
      ' ',
      ' padded ',
      'constructor',
      '__proto__',
      '$ne',
      'a/b',
      'a%2Fb',
      'سعر',
      '\u0001',
      'x'.repeat(1_024),
      '🏠'.repeat(600),
      '🏠'.repeat(1_024),
    ],
    rejected: ['', 'x'.repeat(1_025), '🏠'.repeat(1_025), 'a\0b', '\ud800', 'x\udc00', ...notTexts],
    entrances: {
      ...inBody('/leads', 'recordSystemId'),
      ...inBody('/units', 'recordSystemId', 'unitId'),
      ...inBody('/reservations', 'recordSystemId', 'unit.recordSystemId', 'unit.unitId'),
      ...inBody('/reservations', 'lead.recordSystemId', 'cheques.[].installmentId'),
      ...inBody('/reservations/webhook', 'installmentId'),
      'GET /leads/:recordSystemId': asText((text) =>
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
      '2026-01-31',
      '2024-02-29',
      '2026-01-31T10:00Z',
      '2026-01-31T10:00:00Z',
      '2026-01-31T10:00:00.123456Z',
      '2026-01-31T10:00+02:00',
      '2026-01-31T10:00:00-05:30',
      '2026-01-31T10:00:00+0200',
      '2026-01-31T10:00 02:00',
      '2026-01-31T10:00:00.5 02:00',
    ],
    rejected: [
      '',
      'yesterday',
      '1700000000',
      '2026',
      '2026-01',
      '2026-02-30',
      '2025-02-29T00:00Z',
      '2026-13-01',
      '2026-W05-1',
      '2026-001',
      '2026-01-31T10:00',
      '2026-01-31T10:00:00',
      '2026-01-31T10Z',
      '2026-01-31T24:00Z',
      '2026-01-31T10:60Z',
      '2026-01-31T10:00:60Z',
      '2026-01-31T10:00+25:00',
      '2026-01-31T10:00Z ',
      ' 2026-01-31',
      '+02026-01-31',
      '2026-01-31T10:00Z\0',
      ...notTexts,
    ],
    entrances: {
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
    rejected: [-1, -0.5, -1e-9, NaN, null, '5', '', true, [1], {}, { $gt: 0 }],
    entrances: {
      ...inBody('/units', 'price', 'bua', 'beds'),
      ...inImport('units', 'price'),
      ...inImport('compounds', 'area'),
      ...inImport('phases', 'landArea'),
    },
  },
  'an amount of money': {
    accepted: [0, -1, 0.5, 1e300],
    rejected: [NaN, null, '5', true, [1], {}],
    entrances: {
      ...inBody('/reservations/webhook', 'chequeAmount'),
      ...inBody('/reservations', 'cheques.[].chequeAmount'),
    },
  },
  'a number of a query': {
    accepted: ['0', '1', '007', '0.5', '9007199254740991'],
    rejected: ['', '-1', '+1', ' 1', '1e3', '0x1', '1.', '.5', 'Infinity', '99999999999999999999'],
    entrances: inQuery('/units', 'minPrice', 'maxPrice', 'minBua', 'maxBua', 'minBeds', 'maxBeds'),
  },
  'a number of items': {
    accepted: ['1', '7', '100'],
    rejected: ['', '0', '-1', '1.5', '1e1', ' 1', 'ten', '99999999999999999999'],
    entrances: {
      ...inQuery('/compounds', 'page', 'limit'),
      ...inQuery('/units', 'page', 'limit'),
      ...inOption(options.limit),
    },
  },
  'a text of the catalogue': {
    accepted: ['x', ' padded ', 'constructor', 'سعر', 'x'.repeat(2_048), '🏠'.repeat(2_048)],
    rejected: ['', ' ', '\n', 'x'.repeat(2_049), 'a\0b', '\ud800', 7, true, [], {}],
    entrances: {
      ...inBody('/units', 'name', 'name.ar-eg', 'floor.name', 'listingType.[]'),
      ...inImport('units', 'name.en-us', 'floor.name', 'listingType.[]'),
      ...inOption(options.name),
    },
  },
  'a text that is kept as sent': {
    accepted: ['x', ' ', ' padded ', 'constructor', '\0', '🏠'.repeat(3_000)],
    rejected: ['', '\ud800', null, 7, true, [], {}, { $ne: null }],
    entrances: {
      ...inBody('/leads', 'name'),
      ...inBody('/units', 'status', 'saleType'),
      ...inImport('units', 'status', 'saleType'),
    },
  },
  'an address': {
    accepted: ['https://cdn.example.com/a.jpg', 'http://a/%00?b#c', 'HTTPS://A'],
    rejected: [
      '',
      ' ',
      'plan.png',
      '/plan.png',
      '//a',
      'https://',
      'https://a\0',
      null,
      7,
      {},
      'javascript:alert(1)',
      'JavaScript://x/%0aalert(1)',
      ' java\nscript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'ftp://a/b',
      'blob:https://a/b',
    ],
    entrances: {
      ...inBody('/units', 'media.[].image'),
      ...inImport('units', 'media.[].image'),
      ...inImport('compounds', 'logo', 'brochures.[].url'),
      ...inImport('amenities', 'icon'),
      ...inOption(options.url),
    },
  },
};

describe.each(Object.entries(tables))('%s', (_kind, { accepted, rejected, entrances }) => {
  const names = Object.keys(entrances);

  it.each(Object.entries(entrances))('follows the same rule in %s', async (name, entrance) => {
    const rows = [...accepted, ...rejected].map((value, index) => ({ value, index }));
    // The short run tests every second value, alternating between entry points.
    const turn = names.indexOf(name) % 2;
    for (const { value, index } of rows) {
      if (!isFull && index % 2 !== turn) continue;
      const outcome = await entrance(value);
      const expected = outcome === null ? null : index < accepted.length;
      expect([brief(value), outcome]).toEqual([brief(value), expected]);
    }
  });
});

describe('an ObjectId', () => {
  const found: Entrances = {
    'GET /reservations/:reservationId': asText((id) =>
      isFound('get', `/reservations/${encodeURIComponent(id)}`),
    ),
    'the callback': (reservation) =>
      isFound('post', '/reservations/webhook', { reservationId: reservation }),
    ...inOption(options.objectId),
  };

  it.each(Object.entries(found))('follows the same rule in %s', async (_name, entrance) => {
    const accepted = [reservationId, reservationId.toUpperCase()];
    const rejected = [
      `${reservationId}0`,
      'twelve-chars',
      'z'.repeat(24),
      ' ',
      `${reservationId}\0`,
    ];
    for (const id of accepted) expect([id, await entrance(id)]).toEqual([id, true]);
    for (const id of rejected) expect([id, await entrance(id)]).toEqual([id, false]);
    for (const id of notTexts) expect(await entrance(id)).not.toBe(true);
  });
});

async function isFound(method: 'get' | 'post', path: string, body?: object): Promise<boolean> {
  const { status } = await service.api(method, path).set('api-key', tenant.key).send(body);
  expect([200, 201, 400, 404]).toContain(status);
  return status < 400;
}

describe('a slug', () => {
  const slugs = [
    'lake',
    'constructor',
    '__proto__',
    'فيلا-١',
    'a/b',
    'x'.repeat(400),
    '🏠'.repeat(400),
  ];

  beforeAll(async () => {
    tenant = await addTenant(service.db);
    for (const slug of slugs) {
      await addCompound(service.db, tenant.organizationId, { 'en-us': 'Named' }, { slug });
      await addUnit(service.db, tenant.organizationId, { slug, compoundId: new ObjectId() });
    }
  });

  it('is found exactly as stored wherever it is sent', async () => {
    for (const slug of slugs) {
      const path = encodeURIComponent(slug);
      const statuses = [
        await isFound('get', `/units/${path}`),
        await isFound('get', `/compounds/${path}/units`),
        await isFound('post', '/units', { ...newUnit(), compound: slug }),
        await isFound('post', '/reservations', { unit: slug }),
        isImported('units', 'compound', slug),
      ];
      expect([slug, ...statuses]).toEqual([slug, true, true, true, true, true]);
    }
  });

  it('is rejected for new records when it is not a single path segment', () => {
    const given = (slug: string) => isImported('propertyTypes', 'slug', slug);
    for (const slug of slugs) expect([slug, given(slug)]).toEqual([slug, slug !== 'a/b']);
    const rejected = ['.', '..', '...', 'a/b c', 'a b', ' a', 'a\n', 'a\\b', 'a?b', 'a#b', 'a%20b'];
    for (const slug of rejected) expect([slug, given(slug)]).toEqual([slug, false]);
    expect(given('a.b_c~1')).toBe(true);
  });

  it.each(['a\0b', '\ud800', '', ...notTexts])('%j is rejected', async (slug) => {
    const outcomes = [
      await accepts('/units', { ...newUnit(), compound: slug }),
      await accepts('/units', { unitId: 'x', compound: 'lake', phase: slug ?? 7 }),
      await accepts('/reservations', { unit: slug }),
      isImported('units', 'compound', slug),
      isImported('phases', 'slug', slug),
    ];
    expect(outcomes).toEqual(outcomes.map(() => false));
  });
});

describe('an unescaped plus sign', () => {
  it('counts as a plus sign in times', async () => {
    const { organizationId } = tenant;
    const updatedAt = new Date('2030-01-01T10:00:00Z');
    await addUnit(service.db, organizationId, { slug: 'late', unitId: 'late', updatedAt });
    const since = async (time: string) => {
      const path = `/units?updatedSince=${time}&unitId=late`;
      return (await service.api('get', path).set('api-key', tenant.key)).body.data.length;
    };
    expect(await since('2030-01-01T12:00+02:00')).toBe(1);
    expect(await since('2030-01-01T12:00%2B02:00')).toBe(1);
    expect(await since('2030-01-01T12:01+02:00')).toBe(0);
  });
});

function brief(value: unknown): unknown {
  return typeof value === 'string' && value.length > 40
    ? `${Array.from(value).slice(0, 3).join('')}… (${Array.from(value).length})`
    : value;
}
