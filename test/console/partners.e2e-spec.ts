import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { RequestRecorder } from '../../src/operator/request-log/request-recorder.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { addKey, addLoggedRequest, addReserved, addUnit } from '../support/builders.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { addCalls } from '../usage/usage-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';
import { cardOf, cardText, fieldIn, linesIn, linkIn, rowsIn } from './page-parts.js';

const dayMs = 86_400_000;
const longAgo = new Date(Date.now() - 30 * dayMs);
const silentDays = [1.5, 2.5, 3.5, 4.5, 5.5];

let service: TestConsole;
let tenant: TenantApi;
beforeAll(async () => {
  service = await startConsole({}, randomDatabaseUri());
  tenant = await service.addTenant({ key: { name: 'First', createdAt: longAgo } });
});
afterAll(() => service.stop());

const pathOf = (keyId: ObjectId) => `/partners/${keyId.toHexString()}`;
async function newKey(name: string, fields: object = {}, from = tenant) {
  const keyId = new ObjectId();
  const key = await from.add(addKey, { _id: keyId, name, ...fields });
  return { keyId, ...from.with(key) };
}
/** Notes a use of an operation, and since when uses are noted. */
const addActivity = (keyId: ObjectId, since: Date) =>
  service.db
    .collection('keyActivity')
    .insertOne({ _id: keyId, since, operations: { 'leads:read': new Date() } });
/** Stores the counts and the log of requests, as each process does every few seconds. */
async function store(): Promise<void> {
  const { app } = service.service;
  for (const recorder of [app.get(UsageRecorder), app.get(RequestRecorder)]) await recorder.store();
}

describe('the list of partners', () => {
  let other: TenantApi;
  beforeAll(async () => {
    other = await service.addTenant({ key: { name: 'Elsewhere' } });
    const filter = { _id: other.organizationId };
    await service.db
      .collection('organizations')
      .updateOne(filter, { $set: { name: 'Delta Towers' } });
    const add = async (name: string, days: readonly number[], fields = {}, counts = {}) => {
      const { keyId } = await newKey(name, fields);
      if (days.length > 0) await addCalls(service.db, keyId, days, counts);
      return keyId;
    };
    await add('Silent', silentDays);
    await add('Failing', [0.1], {}, { calls: 50, refused: 40 });
    const reducible = await add('Reducible', [0.1], { createdAt: longAgo });
    await addActivity(reducible, longAgo);
    await add('Revoked', silentDays, { revokedAt: new Date() });
    await add('Expired', [], { expiresAt: longAgo });
    const reader = await add('Reader', [0.1]);
    const feed = { at: new Date(), after: 0 };
    await service.db.collection('keyActivity').insertOne({ _id: reader, feed });
  });

  it.each([
    ['all', 6, ['Silent', 'Failing', 'Reader', 'Reducible', 'Elsewhere', 'First']],
    ['silent', 1, ['Silent']],
    ['failing', 1, ['Failing']],
    ['reducible', 1, ['Reducible']],
    ['readers', 1, ['Reader']],
    ['unused', 2, ['Elsewhere', 'First']],
    ['ended', 2, ['Expired', 'Revoked']],
  ])('with show=%s has the %i keys that its choice counts', async (show, count, names) => {
    const { html } = await service.get(`/partners?show=${show}`);
    const shown = rowsIn(html).map(([name]) => name);
    expect(shown.toSorted()).toEqual(names.toSorted());
    const chosen = /<a [^>]*aria-current="true"[^>]*>(.*?)<\/a>/s.exec(html)?.[1] ?? '';
    expect(textOf(chosen).trim()).toMatch(new RegExp(` ${count}$`));
    // The counts do not depend on the choice.
    for (const text of ['All 6', 'Silent 1', 'Failing 1', 'Feed readers 1', 'Ended 2']) {
      expect(textOf(html)).toContain(` ${text} `);
    }
  });

  it('has the most urgent keys first, with their state and calls', async () => {
    const rows = rowsIn((await service.get('/partners')).html);
    expect(rows.slice(0, 2)).toEqual([
      ['Silent', 'Nile Homes', 'silent', '1 d ago', '0', '0', '0', '–', '–'],
      ['Failing', 'Nile Homes', 'many refused', expect.any(String), '50', '40', '0', '–', '–'],
    ]);
    const reducible = rows.find(([name]) => name === 'Reducible');
    expect(reducible?.[7]).toMatch(/^\d+ of \d+$/);
  });

  it.each([
    ['text=fail', ['Failing']],
    ['text=DELTA', ['Elsewhere']],
    ['text=delta&show=silent', []],
    ['text=%20silent%20', ['Silent']],
  ])('filters names of keys and organizations in any case: %s', async (query, names) => {
    const { html } = await service.get(`/partners?${query}`);
    expect(rowsIn(html).map(([name]) => name)).toEqual(names);
    if (names.length === 0) expect(textOf(html)).toContain('No key matches Choose other filters.');
  });

  it('keeps the text in the choices and the choice in the filter', async () => {
    const { html } = await service.get('/partners?text=key&show=unused&page=2');
    expect(linkIn(html, 'show=silent')).toBe('/partners?text=key&show=silent');
    expect(html).toContain('<input type="hidden" name="show" value="unused"');
    expect(html).toContain('value="key"');
  });

  it('has pages', async () => {
    for (let index = 0; index < 30; index++) await newKey(`Broker ${index}`, {}, other);
    const namesOf = async (page: string) => {
      const { html } = await service.get(`/partners?text=broker&page=${page}`);
      return { html, names: rowsIn(html).map(([name]) => name) };
    };
    const [first, second] = [await namesOf('1'), await namesOf('2')];
    expect([first.names.length, second.names.length]).toEqual([25, 5]);
    expect(new Set([...first.names, ...second.names]).size).toBe(30);
    expect(textOf(first.html)).toContain('Next page Page 1 of 2');
    expect(linkIn(first.html, 'page=2')).toBe('/partners?text=broker&page=2');
    expect(textOf(second.html)).toContain('Previous page Page 2 of 2');
    for (const page of ['0', '-1', 'x']) expect((await namesOf(page)).names).toEqual(first.names);
    expect((await namesOf('99')).names).toEqual([]);
  });
});

it.each(['/partners/unknown', '/partners/665f1c2ab7e4d2f0a1b2c3d4', '/partners/%00'])(
  'the page %s returns 404',
  async (path) => expect(await service.get(path)).toMatchObject({ status: 404 }),
);

it('a reader of the feed is shown with the number of events that it has not asked for', async () => {
  const { organizationId } = tenant;
  const now = new Date();
  const setLast = (last: number) =>
    service.db
      .collection('eventFeeds')
      .updateOne(
        { _id: organizationId },
        { $set: { organizationId, last, createdAt: now, updatedAt: now } },
        { upsert: true },
      );
  await setLast(40);
  const { keyId, get } = await newKey('Feed reader', {
    permissions: { allowExternal: true, operations: ['events.read'] },
  });
  expect(fieldIn((await service.get(pathOf(keyId))).html, 'Events behind')).toBe('');
  await get('/events?after=40').expect(200);
  await store();
  await setLast(1_052);
  const { html } = await service.get(pathOf(keyId));
  expect(fieldIn(html, 'Has read the feed up to')).toBe('40');
  expect(fieldIn(html, 'Events behind')).toBe('1,012');
  const list = rowsIn((await service.get('/partners?show=readers')).html);
  // The reader with the most events to read is first.
  expect(list.map((row) => [row[0], row.at(-1)])).toEqual([
    ['Reader', '1,052'],
    ['Feed reader', '1,012'],
  ]);
});

describe('the page of a partner', () => {
  it('says how to reduce its permissions to what it uses', async () => {
    const operations = ['leads.read', 'leads.write', 'catalogue.read'];
    const fields = { createdAt: longAgo, permissions: { allowExternal: true, operations } };
    const { keyId, get } = await newKey('CRM', fields);
    await get('/leads/none').expect(404);
    await get('/compounds').expect(200);
    await store();
    const filter = { _id: keyId };
    await service.db.collection('keyActivity').updateOne(filter, { $set: { since: longAgo } });
    const { html } = await service.get(pathOf(keyId));
    expect(textOf(html)).toContain(
      'This key may do what it has not done for four weeks: leads.write. To permit only what it uses: ',
    );
    const command = `npm run cli -- key update ${String(keyId)} --operations leads.read,catalogue.read`;
    expect(html).toContain(`data-copy="${command}"`);
    expect(fieldIn(html, 'Has used')).toBe('leads.read, catalogue.read');
    const young = await newKey('Young', { permissions: fields.permissions });
    await young.get('/compounds').expect(200);
    await store();
    expect(await service.text(pathOf(young.keyId))).not.toContain('key update');
  });

  it('shows restrictions of the key, and whether anybody has chosen its operations', async () => {
    const origins = ['https://www.nile.example', 'https://nile.example'];
    const website = { allowExternal: true, operations: ['leads.write'], origins };
    const ofPages = (await newKey('Website', { permissions: website })).keyId;
    const { html } = await service.get(pathOf(ofPages));
    expect(fieldIn(html, 'Only from pages of')).toBe(origins.join(' '));
    expect(fieldIn(html, 'May')).toBe('leads.write');
    const restrictions = { visibility: 'public', addresses: ['192.0.2.0/24'] };
    const portal = { allowExternal: true, operations: ['catalogue.read'], ...restrictions };
    const ofPortal = (await newKey('Portal', { permissions: portal })).keyId;
    const restricted = (await service.get(pathOf(ofPortal))).html;
    expect(fieldIn(restricted, 'Only from addresses')).toBe('192.0.2.0/24');
    expect(fieldIn(restricted, 'Visibility')).toBe('only what is public');
    expect(fieldIn(html, 'Visibility')).toBe('');
    const { keyId: unrestricted } = await newKey('Unrestricted');
    const page = (await service.get(pathOf(unrestricted))).html;
    expect(fieldIn(page, 'May')).toMatch(/ by default: nobody has chosen$/);
    expect(fieldIn(page, 'Only from pages of')).toBe('');
  });

  it('says whether callbacks must be signed', async () => {
    const _id = new ObjectId();
    const secrets = [{ secret: {}, expiresAt: null }];
    const fields = { _id, name: 'Signing', secrets };
    await tenant.add(addKey, fields, { bypassDocumentValidation: true });
    expect(fieldIn((await service.get(pathOf(_id))).html, 'Callbacks')).toBe('must be signed');
  });

  it('lists why requests were refused or did less than expected, each with meaning, remedy and example', async () => {
    const { keyId, get, post } = await newKey('Refused');
    for (const id of ['none', 'nobody']) await get(`/leads/${id}`).expect(404);
    const example = (await get('/leads/nobody-else').expect(404)).headers['x-request-id'];
    await post('/leads', { recordSystemId: 'one', project: 'Palm Medows' }).expect(201);
    await post('/leads', { recordSystemId: 'two', fullName: 'x', mobile: 'y' }).expect(201);
    await store();
    const { html } = await service.get(pathOf(keyId));
    const title = 'Why requests were refused, or did less than expected';
    const causes = rowsIn(cardOf(html, title));
    expect(causes).toEqual([
      ['lead.not_found', '3', expect.any(String), expect.any(String), expect.any(String), example],
      [
        'fields.ignored',
        '1',
        expect.any(String),
        expect.any(String),
        expect.any(String),
        expect.any(String),
      ],
      ['lead.project_unmatched', '1', ...Array.from({ length: 4 }, () => expect.any(String))],
    ]);
    const texts = causes.map(([, , meaning, remedy]) => [meaning, remedy]);
    expect(texts[0]?.join(' ')).toMatch(/lead.*\S \S/i);
    expect(texts[1]?.[0]).toMatch(/does not know some of its fields fullName, mobile$/);
    expect(texts[2]).toEqual([
      'The project of the lead is not the name of a compound, so the lead has no compound',
      'Send the name of a compound as GET /compounds returns it',
    ]);
    expect(texts.flat().filter((text) => text === '' || text === '–')).toEqual([]);
    expect(linkIn(html, 'code=lead.not_found')).toBe(`${pathOf(keyId)}?code=lead.not_found`);
    // The request is opened by a click, and says what to do.
    const requests = linesIn(cardOf(html, 'Requests'));
    expect(requests).toHaveLength(5);
    expect(requests.at(-1)).toMatch(
      /404 GET \/leads\/:recordSystemId lead\.not_found .* What to do: .*Request/,
    );
  });

  it('says how many leads lost most of their fields', async () => {
    const { keyId, post } = await newKey('Ignored');
    const lead = { recordSystemId: 'ignored-1', fullName: 'x', mobile: 'y', city: 'z' };
    await post('/leads', lead).expect(201);
    await post('/leads', { recordSystemId: 'ignored-2', name: 'Known' }).expect(201);
    await store();
    expect(await service.text(pathOf(keyId))).toContain(
      'Of 2 requests with leads that were accepted, 1 lost at least half of their fields',
    );
    const { keyId: well } = await newKey('Well');
    expect(await service.text(pathOf(well))).not.toContain('lost at least half');
  });

  it('filters requests by code and time, whose fields keep the filter', async () => {
    const { keyId } = await newKey('Filtered');
    const ids = { organizationId: tenant.organizationId, apiKeyId: keyId };
    for (const minute of [0, 10, 20, 30]) {
      const errorCodes = [minute === 20 ? 'unit.not_found' : 'lead.not_found'];
      await addLoggedRequest(service.db, ids, minute, { status: 404, errorCodes });
    }
    const requestsOf = async (query: string) => {
      const { html } = await service.get(`${pathOf(keyId)}${query}`);
      return [...cardOf(html, 'Requests').matchAll(/data-copy="request-(\d+)"/g)].map(
        ([, id]) => id,
      );
    };
    for (const [query, found] of [
      ['', ['30', '20', '10', '0']],
      ['?code=unit.not_found', ['20']],
      ['?code=&since=&until=', ['30', '20', '10', '0']],
      ['?since=2026-01-01T12:10', ['30', '20', '10']],
      ['?since=2026-01-01T12:10:00Z&until=2026-01-01T12:30:00Z', ['20', '10']],
      ['?since=2026-01-01T14:20:00%2B02:00', ['30', '20']],
      ['?until=2026-01-01T12:30&code=lead.not_found', ['10', '0']],
      ['?code=no.such_code', []],
    ] as const) {
      expect([query, await requestsOf(query)]).toEqual([query, found]);
    }
    for (const query of [
      '?since=yesterday',
      '?until=2026-13-01T00:00',
      '?until=x',
      '?requests=x',
    ]) {
      expect({ query, ...(await service.get(pathOf(keyId) + query)) }).toMatchObject({
        query,
        status: 400,
      });
    }
    const query = '?code=unit.not_found&since=2026-01-01T12:10';
    const { html } = await service.get(pathOf(keyId) + query);
    expect(html).toMatch(/<option value="unit.not_found" selected/);
    expect(html).toMatch(/name="since" value="2026-01-01T12:10"/);
    const empty = await service.get(`${pathOf(keyId)}?code=no.such_code`);
    expect(cardText(empty.html, 'Requests')).toContain(
      'No request Requests that match the filters',
    );
  });

  it('lists requests page by page, and keeps their filter', async () => {
    const { keyId } = await newKey('Many');
    const ids = { organizationId: tenant.organizationId, apiKeyId: keyId };
    for (let minute = 0; minute < 30; minute++) {
      const errorCodes = ['lead.not_found'];
      await addLoggedRequest(service.db, ids, minute, { status: 404, errorCodes });
    }
    const { html } = await service.get(`${pathOf(keyId)}?code=lead.not_found`);
    expect(linesIn(cardOf(html, 'Requests'))).toHaveLength(25);
    const next = linkIn(cardOf(html, 'Requests'), 'requests=');
    expect(next).toContain('code=lead.not_found');
    const older = cardOf((await service.get(next)).html, 'Requests');
    expect(linesIn(older)).toHaveLength(5);
    expect(textOf(older)).not.toContain('Next page');
  });

  it('explains a callback that changed nothing', async () => {
    const { keyId, post } = await newKey('Collector');
    const reservationId = await tenant.add(addReserved, await tenant.add(addUnit));
    const report = { reservationId: reservationId.toHexString(), installmentID: '1' };
    await post('/reservations/webhook', report).expect(201);
    await store();
    const { html } = await service.get(pathOf(keyId));
    const codes = rowsIn(html).map(([code]) => code);
    expect(codes).toEqual(expect.arrayContaining(['callback.changed_nothing', 'fields.ignored']));
    expect(textOf(html)).toContain('does not know some of its fields installmentID');
  });
});
