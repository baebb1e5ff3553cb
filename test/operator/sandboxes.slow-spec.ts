import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { getConnectionToken } from '@nestjs/mongoose';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import type { Connection } from 'mongoose';
import { Types } from 'mongoose';
import { addLead, addTenant } from '../support/builders.js';
import type { SandboxJson } from '../support/demo-tenant.js';
import { rounds } from '../support/rounds.js';
import { numberEvents } from '../clients/support/numbered-events.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { Leases } from '../../src/core/database/leases/leases.js';
import { mebibyte } from '../../src/core/values/numbers.js';
import { Outbox } from '../../src/events/outbox/outbox.js';
import { signedHeaders } from '../../src/core/secrets/signing-secret.js';
import { LeadBatchesService } from '../../src/leads/lead-batches.service.js';
import { reservationStatuses } from '../../src/reservations/reservation-status.js';
import { SandboxesService } from '../../src/operator/sandbox/sandboxes.service.js';
import { resetTreatments } from '../../src/operator/sandbox/sandbox-records.repository.js';
import { type Session, startSession } from './command-line.js';

let service: TestService;
let cli: Session;
let sandbox: SandboxJson;
let organizationId: ObjectId;
/** Contents of the new sandbox, with which those after each reset are compared. */
let original: Document;

const ENCRYPTION_KEYS = Buffer.alloc(32).toString('base64');

beforeAll(async () => {
  service = await startTestService({ ENCRYPTION_KEYS }, randomDatabaseUri());
  const MONGODB_URI = service.databaseUri;
  cli = startSession({ MONGODB_URI, NODE_ENV: 'production', ENCRYPTION_KEYS });
  sandbox = await cli.json<SandboxJson>('org sandbox --url', `${service.url}/`, '--name', 'Try');
  organizationId = new ObjectId(sandbox._id);
  original = await contents(sandbox);
});
afterAll(() => service.stop());

const get = async (path: string, key = sandbox.keys.everything): Promise<Document> => {
  const response = await service.api('get', path).set('api-key', key);
  expect([path, response.status]).toEqual([path, 200]);
  return response.body as Document;
};
const post = (path: string, body: object, key = sandbox.keys.everything) =>
  service.api('post', path).set('api-key', key).send(body);

/** Returns what the API shows of a sandbox, without ids and times, which differ after each reset. */
async function contents({ keys, reservations }: SandboxJson): Promise<Document> {
  const { data: units } = await get('/units/export/all', keys.everything);
  const { compounds } = await get('/compounds?limit=100', keys.everything);
  const leads = await Promise.all(
    ['1', '2', '3', '4', '5', '6'].map((id) => get(`/leads/sandbox-lead-${id}`, keys.everything)),
  );
  const read = Object.entries(reservations).map(async ([name, id]) => {
    const { data } = await get(`/reservations/${id}`, keys.everything);
    return [name, data] as const;
  });
  const all = {
    units,
    compounds,
    leads,
    reservations: Object.fromEntries(await Promise.all(read)),
  };
  return withoutIdentity(all) as Document;
}

const changingName = /^(leadId|\w+At)$/;
const objectId = /^[0-9a-f]{24}$/;

function withoutIdentity(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name: string, item: unknown) => {
    if (changingName.test(name) || objectId.test(String(item))) return null;
    // Due dates are relative to the reset; a fraction of a second must not make them differ.
    if (name === 'dueDate') return Math.round((Date.parse(String(item)) - Date.now()) / 3_600_000);
    if (!Array.isArray(item)) return item;
    return item.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) as unknown;
  });
}

async function reset(): Promise<SandboxJson> {
  const { reservations } = await cli.json<SandboxJson>(`org reset --org ${sandbox._id}`);
  return (sandbox = { ...sandbox, reservations });
}

const collection = (name: string) => service.db.collection(name);
const counted = (name: string, of = organizationId) =>
  collection(name).countDocuments({ organizationId: of, isDeleted: { $ne: true } });

describe('a sandbox', () => {
  it('has a reservation in each status, whose cheques the printed keys read', async () => {
    const found = Object.values(sandbox.reservations).map(async (id) => {
      const { data } = await get(`/reservations/${id}`, sandbox.keys.collector);
      expect(data).toMatchObject({ partnerCollection: { isActive: true }, leadId: /./ });
      expect(data.chequeWallet.cheques).not.toEqual([]);
      return data as Document;
    });
    const read = await Promise.all(found);
    expect(new Set(read.map(({ status }) => status as string))).toEqual(
      new Set(reservationStatuses),
    );
    const cheques = read.flatMap(({ chequeWallet }) => chequeWallet.cheques as Document[]);
    expect(new Set(cheques.map(({ status }) => status as string))).toEqual(
      new Set(['pending', 'collected', 'overdue', 'bounced', 'post_dated']),
    );
    const deleted = read.filter(({ chequeWallet }) => chequeWallet.isDeleted as boolean);
    expect(deleted.map(({ recordSystemId }) => recordSystemId as string)).toEqual([
      'sandbox-reservation-canceled',
    ]);
    for (const { unitId, status } of read) {
      const unit = await collection('units').findOne({ _id: new ObjectId(unitId as string) });
      const isOpen = (status as string).startsWith('pending');
      const ended = status === 'approved' ? 'Sold' : 'Available';
      expect([status, unit?.['status']]).toEqual([status, isOpen ? 'Reserved' : ended]);
    }
  });

  it('has prices, Arabic names and records that are not public', async () => {
    const { data: units } = await get('/units/export/all');
    expect(units.length).toBeGreaterThan(100);
    expect(units.filter(({ price }: Document) => !(price > 0))).toEqual([]);
    for (const name of [
      'units',
      'compounds',
      'phases',
      'unitDesigns',
      'amenities',
      'propertyTypes',
    ]) {
      const stored = await collection(name).find({ organizationId }).toArray();
      const texts = stored.flatMap((one) => [one['name'], one['description'] ?? { 'ar-eg': 'ا' }]);
      expect(texts.filter((text) => !/\p{Script=Arabic}/u.test(text['ar-eg'] ?? ''))).toEqual([]);
    }
    expect(await collection('units').countDocuments({ organizationId, isAdminOnly: true })).toBe(1);
    const hidden = { organizationId, isPublished: false };
    expect(await collection('compounds').countDocuments(hidden)).toBe(1);
  });

  it('has pictures that the service returns to pages of other sites', async () => {
    const everything = [await get('/units/export/all'), await get('/compounds?limit=100')];
    const stored = await collection('organizations').findOne({ _id: organizationId });
    const text = JSON.stringify([everything, stored?.['logo']]);
    const urls = new Set(text.match(/https?:\/\/[^"]+/g));
    expect(urls.size).toBeGreaterThan(10);
    for (const url of urls) {
      const { status, headers } = await fetch(url);
      const type = url.endsWith('.pdf') ? 'application/pdf' : 'image/svg+xml';
      expect([url, status, headers.get('content-type')]).toEqual([url, 200, type]);
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    }
  });

  it('accepts unsigned callbacks of one collector key, and only signed ones of the other', async () => {
    const reservationId = sandbox.reservations['sandbox-reservation-pending'];
    const body = { reservationId, installmentId: 'installment-1', chequeStatus: 'post_dated' };
    const path = '/reservations/webhook';
    await post(path, body, sandbox.keys.collector).expect(201);
    const { key, signingSecret } = sandbox.signedCollector;
    await post(path, body, key).expect(401).expect('x-error-code', 'key.signature_missing');
    const text = JSON.stringify(body);
    const signed = signedHeaders({ id: 'msg-1', body: text }, [signingSecret], new Date());
    const response = await service
      .api('post', path)
      .set({ 'api-key': key, 'content-type': 'application/json', ...signed })
      .send(text);
    expect([response.status, response.headers['x-callback-cheque']]).toEqual([201, 'applied']);
    await reset();
  });

  it('recovers its canceled reservation when the bounced cheque is collected', async () => {
    const reservationId = sandbox.reservations['sandbox-reservation-canceled'] ?? '';
    const body = { reservationId, installmentId: 'installment-1', chequeStatus: 'collected' };
    await post('/reservations/webhook', body, sandbox.keys.collector).expect(201);
    expect(await get(`/reservations/${reservationId}`)).toMatchObject({
      data: { status: 'approved', chequeWallet: { isDeleted: false } },
    });
    await reset();
  });

  it('names its keys as the origin of its callbacks and changes', async () => {
    const keys = await collection('apiKeys').find({ organizationId }).toArray();
    const nameOf = (id: ObjectId) => keys.find(({ _id }) => id.equals(_id))?.['name'] as string;
    const callbacks = await collection('reservationCallbacks').find({ organizationId }).toArray();
    expect(new Set(callbacks.map(({ apiKeyId }) => nameOf(apiKeyId as ObjectId)))).toEqual(
      new Set(['Sandbox: collector']),
    );
    expect(callbacks.filter(({ outcome }) => outcome.status !== 201)).toEqual([]);
    expect(await counted('changeLogs')).toBe(6);
  });

  it('is shown as one, with the time when its contents were stored', async () => {
    expect(await cli.json('org show', 'try')).toMatchObject({
      _id: sandbox._id,
      apiDomain: '127.0.0.1',
      sandbox: { url: service.url, filledAt: expect.stringMatching(/Z$/) },
    });
  });

  it('is not left behind when its creation fails', async () => {
    const wanted = { name: 'Broken', url: service.url };
    await withFailure(() =>
      expect(service.service.app.get(SandboxesService).create(wanted)).rejects.toThrow('No disk'),
    );
    const broken = await collection('organizations').findOne({ name: 'Broken' });
    expect(broken).toMatchObject({ isDeleted: true });
    const usable = { organizationId: broken?._id as ObjectId, revokedAt: null };
    expect(await collection('apiKeys').countDocuments(usable)).toBe(0);
  });
});

/** Fails the step of the service that stores leads. */
async function withFailure(work: () => Promise<unknown>): Promise<void> {
  const failing = jest
    .spyOn(service.service.app.get(LeadBatchesService), 'upsertAll')
    .mockRejectedValue(new Error('No disk'));
  await work();
  failing.mockRestore();
}

type Change = () => Promise<unknown>;

/** Everything that the printed keys can change. */
function changes(): Change[] {
  const { reservations } = sandbox;
  const ids = Object.values(reservations);
  const callback = (body: object) => () => post('/reservations/webhook', body);
  return [
    () => post('/leads', { recordSystemId: 'sandbox-lead-1', name: 'Changed', phoneNumber: '1' }),
    () => post('/leads', { name: 'New', phoneNumber: '01011112222', project: 'Coral Steps' }),
    () => post('/leads/batch', { leads: [{ recordSystemId: 'b-1', name: 'B' }, { name: 'C' }] }),
    () => service.api('delete', '/leads/sandbox-lead-2').set('api-key', sandbox.keys.everything),
    () => post('/units', { unitId: 'PM-A-201', compound: 'palm-meadows', price: 1, beds: 9 }),
    () => post('/units', { unitId: 'PM-B-002', compound: 'palm-meadows', isDeleted: true }),
    () => post('/units', { unitId: 'NEW-1', compound: 'coral-steps', name: 'New' }),
    () => post('/units', { unitId: 'PM-A-001', compound: 'palm-meadows', recordSystemId: 'MINE' }),
    () =>
      post('/reservations', {
        unit: 'pm-a-001',
        partnerCollection: true,
        cheques: [{ installmentId: '1' }],
      }),
    () =>
      post('/reservations', {
        recordSystemId: 'sandbox-reservation-rejected',
        status: 'pending',
        reopen: true,
      }),
    ...ids.map((reservationId) => callback({ reservationId, reservationStatus: 'canceled' })),
    ...ids.map((reservationId) =>
      callback({ reservationId, installmentId: 'installment-1', chequeStatus: 'collected' }),
    ),
  ];
}

describe('a reset', () => {
  it('restores the original contents after any changes', async () => {
    const order = fc.shuffledSubarray([...changes().keys()], { minLength: 4 });
    await fc.assert(
      fc.asyncProperty(order, async (chosen) => {
        const current = changes();
        for (const index of chosen) await current[index]?.();
        expect(await contents(await reset())).toEqual(original);
      }),
      { numRuns: rounds(2, 30) },
    );
    for (const [name, count] of [
      ['leads', 6],
      ['clients', 6],
      ['reservations', 6],
    ] as const) {
      expect([name, await counted(name)]).toEqual([name, count]);
    }
  });

  it('keeps keys and webhook endpoints, and lead numbers never repeat', async () => {
    const keys = await collection('apiKeys').find({ organizationId }).toArray();
    const hook = 'https://receiver.example/';
    await cli.json(`webhook add --org ${sandbox._id} --events * --url ${hook}`);
    const before = await get('/leads/sandbox-lead-1');
    await reset();
    expect(await collection('apiKeys').find({ organizationId }).toArray()).toEqual(keys);
    expect(await counted('webhookEndpoints')).toBe(1);
    expect((await get('/leads/sandbox-lead-1')).lead.leadId).toBeGreaterThan(before['lead'].leadId);
    await collection('webhookEndpoints').deleteMany({ organizationId });
  });

  it('publishes the deletions to readers of events and of changed units', async () => {
    await post('/units', { unitId: 'OWN-1', compound: 'palm-meadows', name: 'Own' }).expect(201);
    const { data: shown } = await get('/units/export/all');
    const mark = new Date().toISOString();
    await numberEvents(service.db, organizationId);
    const feed = await collection('eventFeeds').findOne({ organizationId });
    const last = feed?.['last'] as number;
    await reset();
    await numberEvents(service.db, organizationId);
    const events = await collection('outboxEvents')
      .find({ organizationId, sequence: { $gt: last } })
      .sort({ sequence: 1 })
      .toArray();
    expect(events[0]?.['sequence']).toBe(last + 1);
    const ofType = (wanted: string) => events.filter(({ type }) => type === wanted);
    expect(
      ofType('unit.deleted')
        .map(({ data }) => data._id as string)
        .toSorted(),
    ).toEqual(shown.map(({ _id }: Document) => _id as string).toSorted());
    expect(ofType('lead.deleted')).toHaveLength(6);
    // The reset deletes five wallets, and the bounced cheque of the new contents the sixth.
    expect(ofType('wallet.deleted').map(({ data }) => data.isDeleted as boolean)).toEqual(
      Array<boolean>(6).fill(true),
    );
    const query = new URLSearchParams({ updatedSince: mark, includeDeleted: '1', unitId: 'OWN-1' });
    expect((await get(`/units?${query}`)).data).toMatchObject([{ isDeleted: true }]);
    for (const list of ['leads', 'reservations']) {
      const parameters = { updatedSince: mark, includeDeleted: '1', limit: '100' };
      const changed = await get(`/${list}?${new URLSearchParams(parameters).toString()}`);
      const deleted = changed.data.filter(({ isDeleted }: Document) => isDeleted as boolean);
      expect(deleted.length).toBeGreaterThanOrEqual(6);
    }
  });

  it('deletes retired records a day later', async () => {
    const old = new Date(Date.now() - 25 * 3_600_000);
    const names = ['units', 'compounds', 'leads', 'reservations'];
    for (const name of names) {
      const retired = { organizationId, isDeleted: true };
      expect(await collection(name).countDocuments(retired)).toBeGreaterThan(0);
      await collection(name).updateMany(retired, { $set: { updatedAt: old } });
    }
    await reset();
    for (const name of names) {
      const left = await collection(name).countDocuments({ organizationId, updatedAt: old });
      expect([name, left]).toEqual([name, 0]);
    }
  });

  it('deletes stored responses of repeated requests', async () => {
    const lead = { recordSystemId: 'repeated', name: 'R' };
    const send = () => post('/leads', lead).set('idempotency-key', '"once"');
    await send().expect(201);
    await reset();
    await send()
      .expect(201)
      .expect(({ body }) => expect(body.operation).toBe('create'));
    expect(await counted('leads')).toBe(7);
  });
});

describe('a reset with failures and concurrent work', () => {
  beforeEach(() => reset());

  it('is finished by the next one after it failed', async () => {
    const { app } = service.service;
    const subject = { _id: new Types.ObjectId(sandbox._id), name: 'Try' };
    await withFailure(() =>
      expect(app.get(SandboxesService).reset(subject)).rejects.toThrow('No disk'),
    );
    expect(await cli.json(`org show ${sandbox._id}`)).toMatchObject({
      sandbox: { filledAt: null },
    });
    expect(await contents(await reset())).toEqual(original);
  });

  it('is refused while another process resets, and runs once that has died', async () => {
    const name = `sandbox ${sandbox._id}`;
    await service.service.app.get(Leases).create(name, 60_000).acquire();
    const { code, stderr } = await cli.run(`org reset --org ${sandbox._id}`);
    const reason = 'Another process resets Try. Wait until it ends, then try again.\n';
    expect([code, stderr]).toEqual([1, reason]);
    expect(await contents(sandbox)).toEqual(original);
    await collection('leases').updateOne({ name }, { $set: { until: new Date(0) } });
    expect(await contents(await reset())).toEqual(original);
  });

  it('runs once when two start at the same time', async () => {
    const sandboxes = service.service.app.get(SandboxesService);
    const subject = { _id: new Types.ObjectId(sandbox._id), name: 'Try' };
    const both = await Promise.allSettled([sandboxes.reset(subject), sandboxes.reset(subject)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await contents(await reset())).toEqual(original);
  });

  it('lets requests that run meanwhile end with a success or a 4xx', async () => {
    let isOver = false;
    const statuses = new Set<number>();
    const send = async (): Promise<void> => {
      for (let index = 0; !isOver; index++) {
        const all = changes();
        const response = (await all[index % all.length]?.()) as { status: number } | undefined;
        statuses.add(response?.status ?? 0);
        await delay(0);
      }
    };
    const sending = [send(), send(), send()];
    const { code, stderr } = await cli.run(`org reset --org ${sandbox._id}`);
    isOver = true;
    await Promise.all(sending);
    expect([...statuses].filter((status) => status < 200 || status >= 500)).toEqual([]);
    // A request may take the phone or the unit of a record that the reset is about to store.
    expect([code, stderr]).toEqual(code === 0 ? [0, ''] : [1, expect.stringMatching(/^.+\n$/)]);
    expect(await contents(await reset())).toEqual(original);
  });

  it('changes nothing of other organizations, and is refused for one that is no sandbox', async () => {
    const other = await cli.json<SandboxJson>('org sandbox --name Other --url', service.url);
    const before = await contents(other);
    await reset();
    expect(await contents(other)).toEqual(before);
    const { organizationId: real } = await addTenant(service.db);
    const { code, stdout, stderr } = await cli.run(`org reset --org ${real.toHexString()}`);
    const reason =
      'Nile Homes is not a sandbox: only an organization that `org sandbox` created can be reset.\n';
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: reason });
    expect(await counted('apiKeys', real)).toBe(1);
  });
});

describe('a reset deletes nothing', () => {
  const ownId = (_id: ObjectId) => ({ organizationId: _id, url: service.url });
  it.each<[string, (_id: ObjectId) => Document | null]>([
    ['null', () => null],
    ['an address only', () => ({ url: service.url })],
    ['the id of another organization', () => ({ ...ownId(organizationId) })],
    ['no address', (_id) => ({ organizationId: _id })],
    ['null as the address', (_id) => ({ ...ownId(_id), url: null })],
    ['an empty address', (_id) => ({ ...ownId(_id), url: '' })],
    ['an address of another protocol', (_id) => ({ ...ownId(_id), url: 'ftp://files.example' })],
  ])('of an organization whose mark is or has %s', async (_name, markOf) => {
    const { organizationId: real } = await addTenant(service.db);
    await addLead(service.db, real);
    await collection('organizations').updateOne({ _id: real }, { $set: { sandbox: markOf(real) } });
    const before = await collection('organizations').findOne({ _id: real });
    const { code, stderr } = await cli.run(`org reset --org ${real.toHexString()}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not a sandbox')]);
    expect(await counted('leads', real)).toBe(1);
    expect(await collection('organizations').findOne({ _id: real })).toEqual(before);
  });

  it('of a sandbox whose address does not fit into the catalogue', async () => {
    const url = `${service.url}/"`;
    await reset();
    await collection('organizations').updateOne(
      { _id: organizationId },
      { $set: { 'sandbox.url': url } },
    );
    const { code, stderr } = await cli.run(`org reset --org ${sandbox._id}`);
    await collection('organizations').updateOne(
      { _id: organizationId },
      { $set: { 'sandbox.url': service.url } },
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be imported')]);
    expect(await contents(sandbox)).toEqual(original);
    const { sandbox: mark } = await cli.json<Document>(`org show ${sandbox._id}`);
    expect(mark).toMatchObject({ filledAt: expect.any(String) });
  });

  it('of a sandbox whose name is given in another case', async () => {
    const before = await get('/leads/sandbox-lead-1');
    const { code, stderr } = await cli.run('org reset --org try');
    const reason = 'The organization is called Try. Specify its id or exactly this name.\n';
    expect([code, stderr]).toEqual([1, reason]);
    expect(await get('/leads/sandbox-lead-1')).toEqual(before);
    await cli.json('org reset --org Try');
    expect(await get('/leads/sandbox-lead-1')).not.toEqual(before);
  });
});

it('a reset publishes the deletions of large leads in transactions of at most 16 MiB', async () => {
  await reset();
  const count = 12;
  for (let index = 0; index < count; index++) {
    const additionalData = { text: 'x'.repeat(3.5 * mebibyte) };
    await addLead(service.db, organizationId, { recordSystemId: `large-${index}`, additionalData });
  }
  const { app } = service.service;
  const publish = jest.spyOn(app.get(Outbox), 'publish');
  await app.get(SandboxesService).reset({ _id: new Types.ObjectId(sandbox._id), name: 'Try' });
  const batches = publish.mock.calls.map(([, events]) => events);
  publish.mockRestore();
  const sizes = batches.map((events) => Buffer.byteLength(JSON.stringify(events)));
  expect(Math.max(...sizes)).toBeGreaterThan(3 * mebibyte);
  expect(Math.max(...sizes)).toBeLessThan(17 * mebibyte);
  const deleted = batches.flat().filter(({ type }) => type === 'lead.deleted');
  expect(deleted).toHaveLength(count + 6);
});

it('every model of tenant data is kept or emptied by a reset', () => {
  const { models } = service.service.app.get<Connection>(getConnectionToken());
  const ofTenants = Object.values(models).filter(({ schema }) => schema.path('organizationId'));
  expect(Object.keys(resetTreatments).toSorted()).toEqual(
    ofTenants.map(({ modelName }) => modelName).toSorted(),
  );
});
