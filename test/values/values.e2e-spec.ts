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

/** A value that is found or not has been accepted; 414 is a path that is far too long. */
const accepts = async (path: string, body?: object): Promise<boolean> => {
  const method = body === undefined ? 'get' : 'post';
  const request = service.api(method, path).set('api-key', tenant.key);
  const { status } = await (body === undefined ? request : request.send(body));
  if (status === 400 || status === 414) return false;
  expect([200, 201, 404]).toContain(status);
  return true;
};

const inBody =
  (path: string, toBody: (value: unknown) => object): Entrance =>
  (value) =>
    accepts(path, toBody(value));

/** Paths, queries and arguments carry well-formed texts only, and no path an empty one. */
const asText =
  (accept: (text: string) => Promise<boolean> | boolean): Entrance =>
  (value) =>
    typeof value === 'string' && value.isWellFormed() ? accept(value) : null;

const inPath = (prefix: string): Entrance =>
  asText((text) => accepts(`${prefix}/${encodeURIComponent(text)}`));
const inQuery = (prefix: string): Entrance =>
  asText((text) => accepts(`${prefix}=${encodeURIComponent(text)}`));

const inOption = (read: (argument: string) => unknown): Entrance =>
  asText((text) => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  });

const inImport =
  (kind: string, toFields: (value: unknown) => object): Entrance =>
  (value) => {
    const named = { slug: 'new', name: { 'en-us': 'New' } };
    const unit = kind === 'units' ? { compound: 'lake', unitId: 'U-1' } : {};
    const text = JSON.stringify({ [kind]: [{ ...named, ...unit, ...toFields(value) }] });
    return readCatalogue(text, ({ key }) => key).errors.length === 0;
  };

let lastUnit = 0;
const newUnit = () => ({ recordSystemId: `unit-${lastUnit++}`, compound: 'lake' });
const cheque = (fields: object) => ({
  unit: 'villa',
  cheques: [{ installmentId: 'one', ...fields }],
});
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
  readonly entrances: Readonly<Record<string, Entrance>>;
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
      'POST /leads': inBody('/leads', (recordSystemId) => ({ recordSystemId })),
      'POST /units, recordSystemId': inBody('/units', (recordSystemId) => ({
        recordSystemId,
        compound: 'lake',
      })),
      'POST /units, unitId': inBody('/units', (unitId) => ({ unitId, compound: 'lake' })),
      'POST /reservations': inBody('/reservations', (recordSystemId) => ({
        recordSystemId,
        unit: 'villa',
      })),
      'POST /reservations, unit by recordSystemId': inBody('/reservations', (recordSystemId) => ({
        unit: { recordSystemId },
      })),
      'POST /reservations, unit by unitId': inBody('/reservations', (unitId) => ({
        unit: { unitId },
      })),
      'POST /reservations, lead': inBody('/reservations', (recordSystemId) => ({
        unit: 'villa',
        lead: { recordSystemId },
      })),
      'POST /reservations, cheque': inBody('/reservations', (installmentId) =>
        cheque({ installmentId }),
      ),
      'the callback': inBody('/reservations/webhook', (installmentId) => ({
        reservationId,
        installmentId,
      })),
      'GET /leads/:recordSystemId': (value) => (value === '' ? null : inPath('/leads')(value)),
      'GET /units?recordSystemId': inQuery('/units?recordSystemId'),
      'GET /units?unitId': inQuery('/units?unitId'),
      'GET /units/export/all?unitId': inQuery('/units/export/all?unitId'),
      'an import, recordSystemId': inImport('units', (recordSystemId) => ({ recordSystemId })),
      'an import, unitId': inImport('units', (unitId) => ({ unitId })),
      'the command line': inOption(options.externalIdOption),
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
      'GET /compounds': inQuery('/compounds?updatedSince'),
      'GET /units': inQuery('/units?updatedSince'),
      'GET /units/export/all': inQuery('/units/export/all?updatedSince'),
      'POST /reservations': inBody('/reservations', (dueDate) => cheque({ dueDate })),
      'an import': inImport('compounds', (dateUploaded) => ({
        mainBrochure: { dateUploaded, name: 'Plan', url: 'https://cdn.example.com/plan.pdf' },
      })),
      'the command line': inOption(options.time),
    },
  },
  'a quantity': {
    accepted: [0, 1, 0.5, 12_500_000.25, 1e300, Number.MAX_SAFE_INTEGER],
    rejected: [-1, -0.5, -1e-9, NaN, null, '5', '', true, [1], {}, { $gt: 0 }],
    entrances: {
      'POST /units, price': inBody('/units', (price) => ({ ...newUnit(), price })),
      'POST /units, bua': inBody('/units', (bua) => ({ ...newUnit(), bua })),
      'POST /units, beds': inBody('/units', (beds) => ({ ...newUnit(), beds })),
      'an import, price': inImport('units', (price) => ({ price })),
      'an import, area': inImport('compounds', (area) => ({ area })),
      'an import, landArea': inImport('phases', (landArea) => ({ compound: 'lake', landArea })),
    },
  },
  'an amount of money': {
    accepted: [0, -1, 0.5, 1e300],
    rejected: [NaN, null, '5', true, [1], {}],
    entrances: {
      'the callback': inBody('/reservations/webhook', (chequeAmount) => ({
        reservationId,
        chequeAmount,
      })),
      'POST /reservations': inBody('/reservations', (chequeAmount) => cheque({ chequeAmount })),
    },
  },
  'a number of a query': {
    accepted: ['0', '1', '007', '0.5', '9007199254740991'],
    rejected: ['', '-1', '+1', ' 1', '1e3', '0x1', '1.', '.5', 'Infinity', '99999999999999999999'],
    entrances: Object.fromEntries(
      ['minPrice', 'maxPrice', 'minBua', 'maxBua', 'minBeds', 'maxBeds'].map((parameter) => [
        parameter,
        inQuery(`/units?${parameter}`),
      ]),
    ),
  },
  'a number of items': {
    accepted: ['1', '7', '100'],
    rejected: ['', '0', '-1', '1.5', '1e1', ' 1', 'ten', '99999999999999999999'],
    entrances: {
      'GET /compounds, page': inQuery('/compounds?page'),
      'GET /compounds, limit': inQuery('/compounds?limit'),
      'GET /units, page': inQuery('/units?page'),
      'GET /units, limit': inQuery('/units?limit'),
      'the command line': inOption(options.listLimitOption),
    },
  },
  'a text of the catalogue': {
    accepted: ['x', ' padded ', 'constructor', 'سعر', 'x'.repeat(2_048), '🏠'.repeat(2_048)],
    rejected: ['', ' ', '\n', 'x'.repeat(2_049), 'a\0b', '\ud800', 7, true, [], {}],
    entrances: {
      'POST /units, name': inBody('/units', (name) => ({ ...newUnit(), name })),
      'POST /units, localized name': inBody('/units', (name) => ({
        ...newUnit(),
        name: { 'ar-eg': name },
      })),
      'POST /units, floor': inBody('/units', (name) => ({ ...newUnit(), floor: { name } })),
      'POST /units, listingType': inBody('/units', (type) => ({
        ...newUnit(),
        listingType: [type],
      })),
      'an import, name': inImport('units', (name) => ({ name: { 'en-us': name } })),
      'an import, floor': inImport('units', (name) => ({ floor: { name } })),
      'an import, listingType': inImport('units', (type) => ({ listingType: [type] })),
      'the command line': inOption(options.name),
    },
  },
  'a text that is kept as sent': {
    accepted: ['x', ' ', ' padded ', 'constructor', '\0', '🏠'.repeat(3_000)],
    rejected: ['', '\ud800', null, 7, true, [], {}, { $ne: null }],
    entrances: {
      'POST /leads': inBody('/leads', (name) => ({ name })),
      'POST /units, status': inBody('/units', (status) => ({ ...newUnit(), status })),
      'POST /units, saleType': inBody('/units', (saleType) => ({ ...newUnit(), saleType })),
      'an import, status': inImport('units', (status) => ({ status })),
      'an import, saleType': inImport('units', (saleType) => ({ saleType })),
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
      'POST /units': inBody('/units', (image) => ({ ...newUnit(), media: [{ image }] })),
      'an import, media': inImport('units', (image) => ({ media: [{ image }] })),
      'an import, logo': inImport('compounds', (logo) => ({ logo })),
      'an import, brochure': inImport('compounds', (url) => ({
        brochures: [{ dateUploaded: '2026-01-31', name: 'Plan', url }],
      })),
      'an import, icon': inImport('amenities', (icon) => ({ icon })),
      'the command line': inOption(options.urlOption),
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
  const found: Readonly<Record<string, Entrance>> = {
    'GET /reservations/:reservationId': asText((id) =>
      isFound('get', `/reservations/${encodeURIComponent(id)}`),
    ),
    'the callback': (reservation) =>
      isFound('post', '/reservations/webhook', { reservationId: reservation }),
    'the command line': inOption(options.objectId),
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
        await inImport('units', (compound) => ({ compound }))(slug),
      ];
      expect([slug, ...statuses]).toEqual([slug, true, true, true, true, true]);
    }
  });

  it('is rejected for new records when it is not a single path segment', () => {
    const given = inImport('propertyTypes', (slug) => ({ slug }));
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
      await inImport('units', (compound) => ({ compound }))(slug),
      await inImport('phases', () => ({ slug, compound: 'lake' }))(slug),
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
