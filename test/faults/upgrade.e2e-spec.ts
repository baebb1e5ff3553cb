import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addReserved, addTenant, addUnit } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { send, type ServiceProcess } from '../support/service-process.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import {
  earlierVersion,
  restoreEarlierDatabase,
  thisVersion,
  type Version,
} from './support/earlier-version.js';
import { startFaultDatabase } from './support/fault-database.js';
import { sendRoundRobin } from './support/instances.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers } from './support/random.js';
import { expectDelivered } from './support/stored-state.js';

const { db, uri } = await startFaultDatabase();
/** A clone without history has only the database of the earlier version, so this version takes its part. */
const earlier = (await earlierVersion()) ?? thisVersion;

const variables: Record<string, string> = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  MONGODB_URI: uri,
  DATABASE_DEADLINE_MS: '30000',
  ...allowLoopback,
};
const instances: ServiceProcess[] = [];
const stopped: ServiceProcess[] = [];
const urls = () => instances.map(({ url }) => url);

/** Starts an instance, directs requests to it, and stops the one that it replaces. */
async function replace(index: number, version: Version): Promise<void> {
  const replaced = instances[index];
  instances[index] = await version.start(variables);
  if (replaced === undefined) return;
  stopped.push(replaced);
  replaced.process.kill('SIGTERM');
  expect(await replaced.exited).toBe(0);
}

async function initialize(version: Version): Promise<void> {
  expect(await version.cli(['db', 'init'], variables)).toMatchObject({ code: 0 });
  expect(await version.cli(['db', 'status'], variables)).toMatchObject({ code: 0 });
}

/** Sends callbacks about one cheque, each one until it is acknowledged. */
function startCallbacks(key: string, reservationId: string) {
  const callback = sendRoundRobin(urls, key);
  let [acknowledged, isStopped] = [0, false];
  const run = async () => {
    while (!isStopped) {
      const chequeAmount = acknowledged + 1;
      const body = { reservationId, installmentId: '1', chequeStatus: 'overdue', chequeAmount };
      const headers = { 'idempotency-key': `callback-${chequeAmount}` };
      const request = { method: 'POST', path: '/reservations/webhook', body, headers };
      const { status } = await callback(request);
      expect([0, 201, 409, 503]).toContain(status);
      if (status === 201) acknowledged = chequeAmount;
      else await delay(25);
    }
    return acknowledged;
  };
  const running = run();
  running.catch(() => undefined);
  const stop = () => {
    isStopped = true;
    return running;
  };
  return { stop };
}

describe(`a database of 12f28eac whose instances of ${earlier.name} are replaced under load`, () => {
  const delivered = new Set<string>();
  let receiver: Receiver;
  let stored: Awaited<ReturnType<typeof restoreEarlierDatabase>>;
  let callbacks: ReturnType<typeof startCallbacks>;
  let load: LeadLoad;
  let loaded: Awaited<ReturnType<typeof addTenant>>;
  let pending: readonly string[] = [];
  let reservation: Document = {};

  const call = (method: string, path: string, body?: object, headers = {}) =>
    send(urls()[0] ?? '', { method, path, key: stored.keys.everything, body, headers });
  /** Sends a lead with an Idempotency-Key; the earlier version has stored the response of `form-1`. */
  const sendForm = async (id: string) => {
    const phoneNumber = id === 'form-1' ? '01001234590' : '01001234599';
    const body = { recordSystemId: id, name: 'Once', phoneNumber };
    const { status, headers } = await send(urls()[0] ?? '', {
      method: 'POST',
      path: '/leads',
      key: stored.keys.website,
      body,
      headers: { 'idempotency-key': id },
    });
    return [status, headers.get('idempotent-replayed')];
  };
  const keysOf = async (recordSystemId: string) =>
    (await db.collection('leads').findOne({ recordSystemId }))?.['phoneKeys'] as unknown;

  beforeAll(async () => {
    receiver = await startReceiver(({ headers }, response) => {
      delivered.add(headers['webhook-id'] ?? '');
      response.writeHead(204).end();
    });
    stored = await restoreEarlierDatabase(db, new URL(receiver.url).origin);
    variables['ENCRYPTION_KEYS'] = stored.encryptionKeys;
    const waiting = await db.collection('webhookDeliveries').find({ status: 'pending' }).toArray();
    pending = waiting.map(({ eventId }) => `msg_${String(eventId)}`);
    expect(pending).not.toEqual([]);
    if (earlier === thisVersion) await initialize(thisVersion);
    for (const index of [0, 1]) await replace(index, earlier);
    loaded = await addTenant(db);
    const args = ['webhook', 'add', '--org', String(loaded.organizationId)];
    const events = ['--url', receiver.url, '--events', '*'];
    expect(await earlier.cli([...args, ...events], variables)).toMatchObject({ code: 0 });
    const { organizationId, key } = await addTenant(db);
    const unitId = await addUnit(db, organizationId, { slug: 'unit' });
    const reservationId = await addReserved(db, organizationId, unitId);
    reservation = { reservationId };
    callbacks = startCallbacks(key, String(reservationId));
    load = new LeadLoad({ db, tenant: loaded, urls, random: randomNumbers() });
    load.start(2);
    await load.waitForChanges(20);
  });
  afterAll(() => receiver.stop());

  it('serves with this version after db init and replacing each instance', async () => {
    await initialize(thisVersion);
    await load.waitForChanges(20);
    for (const index of [0, 1]) {
      await replace(index, thisVersion);
      await load.waitForChanges(20);
    }
    expect(await call('GET', '/leads/odd-1')).toMatchObject({ status: 200 });
  });

  it('compares the stored phones by the new rules', async () => {
    const expected = {
      'odd-2': ['+201001234568'],
      'odd-3': ['+201001234569'],
      'odd-4': ['+201001234570'],
      'odd-5': ['+201001234571'],
      'odd-6': ['+201001234572', '+201001234573'],
      'odd-7': [],
      'odd-8': [],
      'odd-9': ['+201001234574'],
      'imported-2': ['+201001234596'],
      'gulf-2': ['+966501234567'],
    };
    await eventually(async () => {
      const keys = Object.keys(expected).map(async (id) => [id, await keysOf(id)]);
      expect(Object.fromEntries(await Promise.all(keys))).toEqual(expected);
    });
    const clients = db.collection('clients');
    await eventually(async () =>
      expect(await clients.findOne({ email: 'crm@example.com' })).toMatchObject({
        phoneNumbers: ['+201001234598'],
      }),
    );
    const duplicate = await call('POST', '/leads', { phoneNumber: '01001234573' });
    expect(duplicate.headers.get('x-error-code')).toBe('lead.duplicate_phone');
  });

  it('replays a response that the earlier version stored', async () => {
    expect(await sendForm('form-1')).toEqual([201, 'true']);
    expect(await sendForm('form-2')).toEqual([201, null]);
  });

  it('serves with the earlier version after its db init and replacing each instance', async () => {
    await initialize(earlier);
    await load.waitForChanges(20);
    for (const index of [0, 1]) {
      await replace(index, earlier);
      await load.waitForChanges(20);
    }
    expect(await call('GET', '/leads/odd-6')).toMatchObject({ status: 200 });
    const duplicate = await call('POST', '/leads', { phoneNumber: '01001234567' });
    expect(duplicate.headers.get('x-error-code')).toBe('lead.duplicate_phone');
    expect(await sendForm('form-1')).toEqual([201, 'true']);
    expect(await sendForm('form-2')).toEqual([201, 'true']);
  });

  it('has each acknowledged change once, and delivers each event once', async () => {
    await load.stop();
    const acknowledged = await callbacks.stop();
    await load.expectConsistent();
    const wallet = await db.collection('chequeWallets').findOne(reservation);
    expect(wallet?.['cheques'][0]).toMatchObject({ chequeAmount: acknowledged });
    expect(wallet?.['cheques'][0].statusHistory).toHaveLength(acknowledged);
    await expectDelivered(db, loaded.organizationId, delivered);
    expect([...delivered]).toEqual(expect.arrayContaining([...pending]));
  });

  it('logs no error', () => {
    const lines = [...stopped, ...instances].flatMap(({ output }) => output().split('\n'));
    expect(lines.filter((line) => /"level":(50|60)|Error/.test(line))).toEqual([]);
  });
});
