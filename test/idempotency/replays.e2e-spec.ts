import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import {
  addKey,
  addLead,
  addReservation,
  addTenant,
  addUnit,
  addWallet,
  type Tenant,
} from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import { type KeyedRequest, post, settled } from './keyed-requests.js';

const service = sharedService();
const { db } = service;
let tenant: Tenant;

beforeEach(async () => {
  tenant = await addTenant(db);
});

const send = (request: Omit<KeyedRequest, 'url' | 'apiKey'>) =>
  post({ url: service.url, apiKey: tenant.key, ...request });
const count = (collection: string, filter = {}) =>
  db.collection(collection).countDocuments({ organizationId: tenant.organizationId, ...filter });
const record = () =>
  db.collection('idempotencyRecords').findOne({ organizationId: tenant.organizationId });
const setRecord = (fields: object) =>
  db
    .collection('idempotencyRecords')
    .updateOne({ organizationId: tenant.organizationId }, { $set: fields });
const collections = ['leads', 'clients', 'changeLogs', 'outboxEvents', 'units', 'reservations'];
const everything = () =>
  Promise.all(
    [...collections, 'chequeWallets', 'reservationCallbacks'].map((name) =>
      db.collection(name).find({ organizationId: tenant.organizationId }).toArray(),
    ),
  );

interface Case {
  readonly path?: string;
  readonly body: object;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response of each endpoint with all its stored data. */
async function cases(): Promise<Record<string, Case>> {
  const { organizationId } = tenant;
  const unit = { slug: 'villa-1', unitId: 'V-1', compoundId: new ObjectId() };
  const unitId = await addUnit(db, organizationId, unit);
  // By a request: to another program's lead the service adds what it compares phones by, at any time.
  await send({ key: randomUUID(), body: { recordSystemId: 'known', phoneNumber: '01001234567' } });
  const states = ['pending_cheque_collection', 'rejected', 'approved'];
  const [open, rejected, approved] = await Promise.all(
    states.map((status) =>
      addReservation(db, organizationId, unitId, { status, recordSystemId: status }),
    ),
  );
  for (const reservationId of [open, rejected] as ObjectId[]) {
    const cheques = [{ installmentId: '1' }];
    await addWallet(db, organizationId, { reservationId, unitId, cheques });
  }
  const webhook = '/reservations/webhook';
  return {
    'a new lead': { body: { name: 'Mona', unknown: 1 }, status: 201 },
    'a large lead': {
      body: { data: { text: 'x'.repeat(100_000), list: Array.from({ length: 999 }, Math.random) } },
      status: 201,
      headers: { 'accept-encoding': 'gzip' },
    },
    'an update of a lead': { body: { recordSystemId: 'known', name: 'Mona' }, status: 200 },
    'a lead in Arabic': { body: { name: 1 }, status: 400, headers: { language: 'ar-eg' } },
    'a duplicate phone': { body: { phoneNumber: '0100 123 4567' }, status: 400 },
    'an unknown parameter': { path: '/leads?x=1', body: {}, status: 400 },
    'no object': { body: [], status: 400 },
    'a unit that is unchanged': { path: '/units', body: { unitId: 'V-1' }, status: 200 },
    'a unit without a compound': { path: '/units', body: { unitId: 'V-2' }, status: 400 },
    'a unit that is not there': {
      path: '/units',
      body: { unitId: 'V-3', isDeleted: true },
      status: 404,
    },
    'a reservation': { path: '/reservations', body: { unit: 'villa-1' }, status: 201 },
    'a reservation with an ignored field': {
      path: '/reservations',
      body: { recordSystemId: 'rejected', status: 'pending' },
      status: 200,
    },
    'a reservation of no unit': { path: '/reservations', body: { unit: 'none' }, status: 404 },
    'an approval': {
      path: '/reservations',
      body: { unit: 'villa-1', status: 'approved' },
      status: 422,
    },
    'a callback that changes a part': {
      path: webhook,
      body: {
        reservationId: open,
        reservationStatus: 'approved',
        installmentId: 'none',
        chequeStatus: 'overdue',
      },
      status: 404,
    },
    'a callback': {
      path: webhook,
      body: { reservationId: open, installmentId: '1', chequeStatus: 'bounced', other: 1 },
      status: 201,
    },
    'a callback that stores a part': {
      path: webhook,
      body: { reservationId: open, installmentId: '1', chequeStatus: 'collected' },
      status: 422,
    },
    'a callback about nothing': { path: webhook, body: { reservationId: 'none' }, status: 404 },
    'a callback without effect': { path: webhook, body: { reservationId: approved }, status: 201 },
    'a callback without a body': { path: webhook, body: {}, status: 400 },
  };
}

describe('a repeated request with an Idempotency-Key', () => {
  it('returns the first response byte for byte and changes nothing', async () => {
    for (const [name, { status, ...request }] of Object.entries(await cases())) {
      const key = randomUUID();
      const first = await send({ ...request, key });
      expect({ name, status: first.status, text: first.text }).toEqual({
        name,
        status,
        text: expect.any(String),
      });
      expect(first.isReplayed).toBe(false);
      const before = await everything();
      const second = await send({ ...request, key });
      expect({ name, ...second }).toEqual({ name, ...first, isReplayed: true });
      expect(await everything()).toEqual(before);
    }
  });

  it('returns the first response with a quoted key, other spaces or another language', async () => {
    const key = randomUUID();
    const first = await send({ key, body: { name: 1 }, headers: { language: 'ar-eg' } });
    const second = await send({ key: `"${key}"`, body: '{ "name":\n1 }' });
    expect(second).toEqual({ ...first, isReplayed: true });
    expect(second.headers['content-language']).toBe('ar-eg');
  });

  it('returns 422 when its body or path differs', async () => {
    const key = randomUUID();
    await send({ key, body: { name: 'Mona' } });
    const others: [path: string, body: object][] = [
      ['/leads', { name: 'Mona', email: null }],
      ['/leads', { name: 'mona' }],
      ['/units', { name: 'Mona' }],
    ];
    for (const [path, body] of others) {
      const { status, text, headers } = await send({ key, path, body });
      expect([status, headers['x-error-code']]).toEqual([422, 'idempotency.key_reused']);
      expect(JSON.parse(text)).toEqual({
        statusCode: 422,
        message: 'The Idempotency-Key was used for another request',
        error: 'Unprocessable Entity',
      });
    }
    expect(await count('leads')).toBe(1);
    expect((await send({ key, body: { name: 'Mona' } })).isReplayed).toBe(true);
  });

  it('runs again for another API key, even within an organization', async () => {
    const key = randomUUID();
    const apiKeys = [
      tenant.key,
      await addKey(db, tenant.organizationId),
      (await addTenant(db)).key,
    ];
    for (const apiKey of apiKeys) {
      const response = await post({ url: service.url, apiKey, key, body: { name: apiKey } });
      expect([response.status, response.isReplayed]).toEqual([201, false]);
    }
  });

  it('runs again when the first response was not final', async () => {
    const key = randomUUID();
    const fields = { key, body: '{"name":"Mona"}' };
    const first = [
      await post({ url: service.url, apiKey: 'nope', ...fields }),
      await send({ ...fields, body: '{' }),
      await send({ ...fields, body: `"${'x'.repeat(1_100_000)}"` }),
      await send({ ...fields, headers: { 'content-type': 'text/plain' } }),
    ];
    expect(first.map(({ status }) => status)).toEqual([401, 400, 413, 415]);
    expect(await record()).toBeNull();
    expect((await send(fields)).status).toBe(201);
  });

  it('returns 400 when its key is malformed', async () => {
    const { status, text, headers } = await send({ key: 'a b' });
    expect([status, headers['x-error-code']]).toEqual([400, 'idempotency.key_malformed']);
    expect(JSON.parse(text)).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect(await count('leads')).toBe(0);
  });

  it('returns errors of the API key and the body first', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await send({ key: 'a b', headers })).status).toBe(415);
    const unauthorized = await post({ url: service.url, apiKey: 'nope', key: 'a b' });
    expect(unauthorized.status).toBe(401);
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
    const indexes = await db.collection('idempotencyRecords').indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });
});

describe('a request without an Idempotency-Key', () => {
  it('stores no record, and runs a repeated callback again', async () => {
    const { organizationId } = tenant;
    const unitId = await addUnit(db, organizationId, {});
    const reservationId = await addReservation(db, organizationId, unitId);
    const body = { reservationId, reservationStatus: 'expired' };
    for (const calls of [1, 2]) {
      const path = '/reservations/webhook';
      expect((await send({ key: null, path, body })).status).toBe(201);
      expect(await count('reservationCallbacks')).toBe(calls);
    }
    expect(await record()).toBeNull();
  });

  it('includes every GET and DELETE, which ignore the header', async () => {
    const headers = { 'api-key': tenant.key, 'idempotency-key': 'a b' };
    await service.api('get', '/leads/none').set(headers).expect(404);
    await service.api('delete', '/leads/none').set(headers).expect(404);
    expect(await record()).toBeNull();
  });
});

describe('a request whose idempotency key is claimed', () => {
  /** Leaves a claim as an instance does that was killed. */
  const abandon = async (key: string, body: object, claimedAt: Date) => {
    await send({ key, body });
    await db
      .collection('idempotencyRecords')
      .updateOne(
        { organizationId: tenant.organizationId },
        { $set: { claimedAt }, $unset: { response: '' } },
      );
  };
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

  it('returns 409 with Retry-After while the first request runs', async () => {
    const [key, body] = [randomUUID(), { recordSystemId: 'running' }];
    await abandon(key, body, ago(10_000));
    const { status, headers, text } = await send({ key, body });
    expect([status, headers['retry-after']]).toEqual([409, '1']);
    expect(headers['x-error-code']).toBe('idempotency.request_running');
    expect(JSON.parse(text)).toMatchObject({ error: 'Conflict' });
    expect((await send({ key, body: {} })).status).toBe(422);
    expect(await count('changeLogs')).toBe(1);
  });

  it.each([
    ['whose lease has expired', 60_000],
    ['whose clock was an hour ahead', -3_600_000],
  ])('by a process %s runs once', async (_, age) => {
    const [key, body] = [randomUUID(), { name: 'Mona' }];
    await abandon(key, body, ago(age));
    const owner = (await record())?.['owner'];
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => send({ key, body })))).map(
      ({ status }) => status,
    );
    expect(statuses).toContain(201);
    expect(new Set(statuses).size).toBeLessThanOrEqual(2);
    expect(await count('leads')).toBe(2);
    expect((await record())?.['owner']).not.toBe(owner);
    expect((await send({ key, body: {} })).status).toBe(422);
  });

  it('changes nothing after a takeover, and does not affect its group', async () => {
    const lead = await addLead(db, tenant.organizationId, { recordSystemId: 'held', data: {} });
    const session = db.client.startSession();
    session.startTransaction();
    await db.collection('leads').updateOne({ _id: lead }, { $set: { held: 1 } }, { session });
    const key = randomUUID();
    const overtaken = send({ key, body: { recordSystemId: 'held', name: 'Overtaken' } });
    await eventually(async () => expect(await record()).not.toBeNull(), 5_000);
    const neighbours = ['one', 'two'].map((name) => send({ key: null, body: { name } }));
    await setRecord({ owner: 'another' });
    await session.abortTransaction();
    await session.endSession();
    expect((await overtaken).status).toBe(409);
    expect((await Promise.all(neighbours)).map(({ status }) => status)).toEqual([201, 201]);
    expect(await count('leads', { 'data.name': 'Overtaken' })).toBe(0);
    expect(await record()).toMatchObject({ owner: 'another' });
    expect(await record()).not.toHaveProperty('response');
  });
});

describe('simultaneous requests, some with idempotency keys', () => {
  const bodies = [{ name: 'Mona' }, { name: 'Adel', data: { x: 1 } }, { name: 1 }];
  const request = fc.record({
    key: fc.constantFrom(null, null, 'a', 'b', 'c'),
    body: fc.constantFrom(...bodies),
  });

  it('have one effect per key, and one per request without a key', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async (requests) => {
        tenant = await addTenant(db);
        const sent = requests.map(async (one) => ({
          ...one,
          ...(await settled({ url: service.url, apiKey: tenant.key, ...one })),
        }));
        const responses = await Promise.all(sent);
        let created = 0;
        for (const key of ['a', 'b', 'c']) {
          const ofKey = responses.filter((one) => one.key === key);
          const ran = ofKey.filter(({ status }) => status !== 422);
          expect(ran.filter(({ isReplayed }) => !isReplayed)).toHaveLength(
            ofKey.length > 0 ? 1 : 0,
          );
          expect(new Set(ran.map(({ text }) => text)).size).toBeLessThanOrEqual(1);
          expect(new Set(ran.map(({ body }) => body)).size).toBeLessThanOrEqual(1);
          created += ran[0]?.status === 201 ? 1 : 0;
        }
        const others = responses.filter(({ key }) => key === null);
        expect(others.every(({ status, body }) => (status === 201) === (body !== bodies[2]))).toBe(
          true,
        );
        created += others.filter(({ status }) => status === 201).length;
        expect([await count('leads'), await count('changeLogs')]).toEqual([created, created]);
      }),
      { numRuns: rounds(5, 15) },
    );
  });
});
