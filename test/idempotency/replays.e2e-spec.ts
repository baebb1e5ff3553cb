import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MongoClient, ObjectId } from 'mongodb';
import { addKey, addLead, addReservation, addUnit, addWallet } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { type ExactResponse, type KeyedRequest, post, postUntilFinal } from './keyed-requests.js';

const service = sharedService();
const { db } = service;
let tenant: TenantApi;

beforeEach(async () => {
  tenant = await service.addTenant();
});

const send = (request: Partial<KeyedRequest>) =>
  post({ url: service.url, apiKey: tenant.key, ...request });
const count = (collection: string, filter?: object) => tenant.count(collection, filter);
const record = async () => (await tenant.stored('idempotencyRecords'))[0];
const setRecord = (fields: object) => tenant.set('idempotencyRecords', {}, fields);
const codeOf = ({ status, headers }: ExactResponse) => [status, headers['x-error-code']];
const callbacks = '/reservations/webhook';
const names = fc.string({ unit: fc.constantFrom(...'ab1'), minLength: 1, maxLength: 3 });
const values = fc.oneof(fc.string(), fc.integer(), fc.constantFrom(true, false, null));
const { tree: jsonObjects } = fc.letrec((tie) => ({
  tree: fc.dictionary(names, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  value: fc.oneof({ maxDepth: 4 }, values, tie('tree'), fc.array(tie('value'), { maxLength: 3 })),
}));
/** Writes the members of every object in the reverse order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.toReversed());
};
const collections =
  'leads clients changeLogs outboxEvents units reservations chequeWallets reservationCallbacks';
const storedDocuments = () =>
  Promise.all(collections.split(' ').map((name) => tenant.stored(name)));

/** Stores the required records and returns one request for each response of each endpoint. */
async function addCases(): Promise<[number, Partial<KeyedRequest>][]> {
  const unit = { slug: 'villa-1', unitId: 'V-1', compoundId: new ObjectId() };
  const unitId = await tenant.add(addUnit, unit);
  // The lead is created by a request, because the service may add phone keys to leads of other programs at any
  // time.
  await send({ body: { recordSystemId: 'known', phoneNumber: '01001234567' } });
  const reserve = async (status: string) => {
    const fields = { status, recordSystemId: status };
    const reservationId = await tenant.add(addReservation, unitId, fields);
    const cheques = [{ installmentId: '1' }];
    if (status !== 'approved') await tenant.add(addWallet, { reservationId, unitId, cheques });
    return reservationId;
  };
  const reservationId = await reserve('pending_cheque_collection');
  await reserve('rejected');
  const approved = await reserve('approved');
  const large = { text: 'x'.repeat(100_000), list: range(999).map(() => Math.random()) };
  const bounced = { reservationId, installmentId: '1', chequeStatus: 'bounced' };
  const partly = { reservationId, reservationStatus: 'approved', chequeStatus: 'overdue' };
  const [units, reservations] = [{ path: '/units' }, { path: '/reservations' }];
  const callback = (body: object) => ({ path: callbacks, body });
  return [
    [201, { body: { name: 'Mona', unknown: 1 } }],
    [201, { body: { data: large }, headers: { 'accept-encoding': 'gzip' } }],
    [200, { body: { recordSystemId: 'known', name: 'Mona' } }],
    [400, { body: { name: 1 }, headers: { language: 'ar-eg' } }],
    [400, { body: { phoneNumber: '0100 123 4567' } }],
    [201, { path: '/leads?x=1' }],
    [400, { body: [] }],
    [200, { ...units, body: { unitId: 'V-1' } }],
    [400, { ...units, body: { unitId: 'V-2' } }],
    [404, { ...units, body: { unitId: 'V-3', isDeleted: true } }],
    [201, { ...reservations, body: { unit: 'villa-1' } }],
    [200, { ...reservations, body: { recordSystemId: 'rejected', status: 'pending' } }],
    [404, { ...reservations, body: { unit: 'none' } }],
    [422, { ...reservations, body: { unit: 'villa-1', status: 'approved' } }],
    [404, callback({ ...partly, installmentId: 'none' })],
    [201, callback({ ...bounced, other: 1 })],
    [422, callback({ ...bounced, chequeStatus: 'collected' })],
    [404, callback({ reservationId: 'none' })],
    [201, callback({ reservationId: approved })],
    [400, callback({})],
  ];
}

describe('a repeated request with an Idempotency-Key', () => {
  it('returns the first response byte for byte and changes nothing', async () => {
    for (const [status, request] of await addCases()) {
      const keyed = { ...request, key: randomUUID() };
      const first = await send(keyed);
      expect({ request, ...first }).toMatchObject({ request, status, isReplayed: false });
      const before = await storedDocuments();
      expect({ request, ...(await send(keyed)) }).toEqual({ request, ...first, isReplayed: true });
      expect(await storedDocuments()).toEqual(before);
    }
  });

  it('returns the first response with a quoted key, other spaces or another language', async () => {
    const key = randomUUID();
    const first = await send({ key, body: { name: 1 }, headers: { language: 'ar-eg' } });
    const second = await send({ key: `"${key}"`, body: '{ "name":\n1 }' });
    expect(second).toEqual({ ...first, isReplayed: true });
    expect(second.headers['content-language']).toBe('ar-eg');
  });

  it('returns the first response when the members of its objects have another order', async () => {
    await fc.assert(
      fc.asyncProperty(jsonObjects, jsonObjects, async (data, additionalData) => {
        const key = randomUUID();
        const first = await send({ key, body: { name: 'Mona', data, additionalData } });
        const body = reversed({ name: 'Mona', data, additionalData });
        expect(await send({ key, body })).toEqual({ ...first, isReplayed: true });
      }),
      { numRuns: rounds(100, 500) },
    );
  });

  it('returns 422 when the items of a list have another order', async () => {
    const key = randomUUID();
    await send({ key, body: { data: { list: [1, 2] } } });
    const response = await send({ key, body: { data: { list: [2, 1] } } });
    expect(codeOf(response)).toEqual([422, 'idempotency.key_reused']);
  });

  it('returns 422 when its body or path differs', async () => {
    const key = randomUUID();
    await send({ key, body: { name: 'Mona' } });
    for (const [path, body] of [
      ['/leads', { name: 'Mona', email: null }],
      ['/leads', { name: 'mona' }],
      ['/units', { name: 'Mona' }],
    ] as const) {
      const response = await send({ key, path, body });
      expect(codeOf(response)).toEqual([422, 'idempotency.key_reused']);
      const message = 'This Idempotency-Key was used for another request: send a new key';
      const error = { statusCode: 422, message, error: 'Unprocessable Entity' };
      expect(JSON.parse(response.text)).toEqual(error);
    }
    expect(await count('leads')).toBe(1);
    expect((await send({ key, body: { name: 'Mona' } })).isReplayed).toBe(true);
  });

  it('runs again for another API key, even within an organization', async () => {
    const key = randomUUID();
    const others = [await tenant.add(addKey), (await service.addTenant()).key];
    for (const apiKey of [tenant.key, ...others]) {
      const response = await send({ apiKey, key, body: { name: apiKey } });
      expect(response).toMatchObject({ status: 201, isReplayed: false });
    }
  });

  it('runs again when the first response was not final', async () => {
    const fields = { key: randomUUID(), body: '{"name":"Mona"}' };
    const attempts: [number, Partial<KeyedRequest>][] = [
      [401, { apiKey: 'nope' }],
      [400, { body: '{' }],
      [413, { body: `"${'x'.repeat(1_100_000)}"` }],
      [415, { headers: { 'content-type': 'text/plain' } }],
    ];
    for (const [status, changed] of attempts) {
      expect((await send({ ...fields, ...changed })).status).toBe(status);
    }
    expect(await record()).toBeUndefined();
    expect((await send(fields)).status).toBe(201);
  });

  it('runs again after one day', async () => {
    const key = randomUUID();
    await send({ key, body: { name: 'Mona' } });
    const stored = await record();
    expect(stored?.['expiresAt'] - stored?.['createdAt']).toBeGreaterThanOrEqual(24 * 3_600_000);
    await setRecord({ expiresAt: new Date(Date.now() - 1) });
    const request = { key, body: { name: 'Adel' } };
    expect(await send(request)).toMatchObject({ status: 201, isReplayed: false });
    expect(await send(request)).toMatchObject({ status: 201, isReplayed: true });
    expect(await count('leads')).toBe(2);
    const index = { key: { expiresAt: 1 }, expireAfterSeconds: 0 };
    const indexes = await db.collection('idempotencyRecords').indexes();
    expect(indexes).toContainEqual(expect.objectContaining(index));
  });
});

describe('an Idempotency-Key whose record an instance of an earlier version stored', () => {
  const key = 'mixed';
  const lead = { name: 'Mona', recordSystemId: 'mixed' };

  it('replays the response for the same bytes', async () => {
    const first = await send({ key, body: lead });
    await setRecord({ valueFingerprint: null });
    expect(await send({ key, body: lead })).toMatchObject({ status: 201, text: first.text });
    expect(codeOf(await send({ key, body: reversed(lead) }))).toEqual([
      422,
      'idempotency.key_reused',
    ]);
  });

  it('refuses the payload that an expired record had, after another one took it over', async () => {
    await send({ key, body: lead });
    const { valueFingerprint } = (await record()) ?? {};
    await setRecord({ expiresAt: new Date(0) });
    const other = { name: 'Omar', recordSystemId: 'other' };
    expect((await send({ key, body: other })).status).toBe(201);
    // The earlier version does not know this field.
    await setRecord({ valueFingerprint });
    expect(codeOf(await send({ key, body: lead }))).toEqual([422, 'idempotency.key_reused']);
  });
});

describe('a malformed Idempotency-Key', () => {
  it('returns 400, after errors of the API key and the content type', async () => {
    const malformed = await send({ key: 'a b' });
    expect(codeOf(malformed)).toEqual([400, 'idempotency.key_malformed']);
    const error = { statusCode: 400, error: 'Bad Request' };
    expect(JSON.parse(malformed.text)).toMatchObject(error);
    const text = { 'content-type': 'text/plain' };
    expect((await send({ key: 'a b', headers: text })).status).toBe(415);
    expect((await send({ key: 'a b', apiKey: 'nope' })).status).toBe(401);
    expect(await count('leads')).toBe(0);
  });

  it('is ignored by GET and DELETE', async () => {
    const header = { 'idempotency-key': 'a b' };
    await tenant.get('/leads/none').set(header).expect(404);
    await tenant.delete('/leads/none').set(header).expect(404);
    expect(await record()).toBeUndefined();
  });
});

describe('a request without an Idempotency-Key', () => {
  it('stores no record, and runs a repeated callback again', async () => {
    const reservationId = await tenant.add(addReservation, await tenant.add(addUnit));
    const body = { reservationId, reservationStatus: 'expired' };
    for (const calls of [1, 2]) {
      expect((await send({ key: null, path: callbacks, body })).status).toBe(201);
      expect(await count('reservationCallbacks')).toBe(calls);
    }
    expect(await record()).toBeUndefined();
  });
});

describe('a request whose idempotency key is claimed', () => {
  /** Leaves a claim of this age, as a killed instance does. */
  const leaveClaim = async (key: string, body: object, age: number) => {
    await send({ key, body });
    await setRecord({ claimedAt: new Date(Date.now() - age) });
    const { organizationId } = tenant;
    const withoutResponse = { $unset: { response: '' } };
    await db.collection('idempotencyRecords').updateOne({ organizationId }, withoutResponse);
  };

  it('returns 409 with Retry-After while the first request runs', async () => {
    const [key, body] = [randomUUID(), { recordSystemId: 'running' }];
    await leaveClaim(key, body, 10_000);
    const response = await send({ key, body });
    expect(codeOf(response)).toEqual([409, 'idempotency.request_running']);
    expect(response.headers['retry-after']).toBe('1');
    expect(JSON.parse(response.text)).toMatchObject({ error: 'Conflict' });
    expect((await send({ key, body: {} })).status).toBe(422);
    expect(await count('changeLogs')).toBe(1);
  });

  it.each([
    ['lease has expired', 60_000],
    ['clock was an hour ahead', -3_600_000],
  ])('runs once when the claim belongs to a process whose %s', async (_, age) => {
    const [key, body] = [randomUUID(), { name: 'Mona' }];
    await leaveClaim(key, body, age);
    const owner = (await record())?.['owner'] as unknown;
    const responses = await Promise.all(range(10).map(() => send({ key, body })));
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toContain(201);
    expect(new Set(statuses).size).toBeLessThanOrEqual(2);
    expect(await count('leads')).toBe(2);
    expect((await record())?.['owner']).not.toBe(owner);
    expect((await send({ key, body: {} })).status).toBe(422);
  });

  it('returns its result while the transaction of the dead owner still holds the claim', async () => {
    const [key, body] = [randomUUID(), { name: 'Mona' }];
    await leaveClaim(key, body, 60_000);
    await using client = new MongoClient(service.databaseUri, { appName: 'integration-api' });
    await using session = client.startSession();
    session.startTransaction();
    const { _id } = (await record()) as { _id: ObjectId };
    const records = client.db().collection('idempotencyRecords');
    await records.updateOne({ _id }, { $set: { response: {} } }, { session });
    expect(await send({ key, body })).toMatchObject({ status: 201, isReplayed: false });
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 251 });
  });

  it('changes nothing after a takeover, and does not affect its group', async () => {
    const lead = await tenant.add(addLead, { recordSystemId: 'held', data: {} });
    const session = db.client.startSession();
    session.startTransaction();
    await db.collection('leads').updateOne({ _id: lead }, { $set: { held: 1 } }, { session });
    const superseded = send({ body: { recordSystemId: 'held', name: 'Overtaken' } });
    await eventually(async () => expect(await record()).toBeDefined(), 5_000);
    const neighbors = ['one', 'two'].map((name) => send({ key: null, body: { name } }));
    await setRecord({ owner: 'another' });
    await session.abortTransaction();
    await session.endSession();
    expect((await superseded).status).toBe(409);
    expect((await Promise.all(neighbors)).map(({ status }) => status)).toEqual([201, 201]);
    expect(await count('leads', { 'data.name': 'Overtaken' })).toBe(0);
    expect(await record()).toMatchObject({ owner: 'another' });
    expect(await record()).not.toHaveProperty('response');
  });
});

describe('simultaneous requests, some with idempotency keys', () => {
  const invalid = { name: 1 };
  const bodies = [{ name: 'Mona' }, { name: 'Adel', data: { x: 1 } }, invalid];
  const request = fc.record({
    key: fc.constantFrom(null, null, 'a', 'b', 'c'),
    body: fc.constantFrom<object>(...bodies),
  });

  it('have one effect per key, and one per request without a key', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async (requests) => {
        tenant = await service.addTenant();
        const { key: apiKey } = tenant;
        const responses = await Promise.all(
          requests.map(async (one) => {
            const response = await postUntilFinal({ url: service.url, apiKey, ...one });
            return { ...one, ...response };
          }),
        );
        const executed = responses.filter(({ status }) => status !== 422);
        const byKey = Map.groupBy(executed, ({ key }) => key);
        for (const [key, [first, ...others]] of byKey) {
          if (key === null) continue;
          expect([first, ...others].filter((each) => each?.isReplayed === false)).toHaveLength(1);
          for (const { text, body } of others)
            expect({ text, body }).toMatchObject({ text: first?.text, body: first?.body });
        }
        for (const { body, status } of executed) expect(status).toBe(body === invalid ? 400 : 201);
        const sentKeys = new Set(requests.map(({ key }) => key));
        expect(new Set(byKey.keys())).toEqual(sentKeys);
        const effects = executed.filter(({ status, isReplayed }) => status === 201 && !isReplayed);
        const created = effects.length;
        expect([await count('leads'), await count('changeLogs')]).toEqual([created, created]);
      }),
      { numRuns: rounds(5, 15) },
    );
  });
});
