import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import type { ChangeWatcher } from '../../src/database/changes/change-watcher.js';
import { EventWaiters } from '../../src/events/event-waiters.js';
import { EventFeedChanges } from '../../src/webhooks/outbox/event-feed-changes.js';
import { EventFeedService } from '../../src/webhooks/outbox/event-feed.service.js';
import { EventFeedsRepository } from '../../src/webhooks/outbox/event-feeds.repository.js';
import { EventNumbering } from '../../src/webhooks/outbox/event-numbering.js';
import { timeOfStoring } from '../../src/webhooks/outbox/outbox-event.schema.js';
import { WebhookRelay } from '../../src/webhooks/outbox/webhook-relay.js';
import { addKey, addTenant, mayReadEvents, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { basePath } from '../support/shared-service.js';
import type { TestService } from '../support/test-service.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';

let service: WebhookService;
let receiver: Receiver;
/** Further instances on the same database, for a test. */
const others: TestService[] = [];

beforeAll(async () => {
  service = await startWebhookService({ EVENTS_RETENTION_DAYS: '2' });
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop();
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

/** Starts another instance, which ends with the test, also with one that fails. */
async function startOther(): Promise<WebhookService> {
  const other = await startWebhookService({ ROLE: 'api' }, service.databaseUri);
  others.push(other);
  return other;
}

const addReader = () => addTenant(service.db, { key: mayReadEvents });
const events = () => service.db.collection('outboxEvents');
const feeds = () => service.db.collection('eventFeeds');

/** Reads the feed; the parameters as they are sent. */
const read = ({ key }: Tenant, parameters: Document = {}, headers: Record<string, string> = {}) =>
  service
    .api('get', `/events?${new URLSearchParams(parameters).toString()}`)
    .set({ 'api-key': key, ...headers });

/** A feed as somebody reads it to its end, page by page. */
async function readAll(tenant: Tenant, parameters: Document = {}): Promise<Document[]> {
  const all: Document[] = [];
  for (let after = 0; ;) {
    const { body } = await read(tenant, { ...parameters, after }).expect(200);
    all.push(...body.data);
    if (!body.hasMore) return all;
    after = body.next;
  }
}

/** How long it is waited for what comes within a second; when that was in vain, the other tests do not. */
let patienceMs = 20_000;

/** Seconds that a request waits for what comes within one; it gets nothing when that was in vain. */
const patience = () => Math.ceil(patienceMs / 2_000);

async function soon(check: () => unknown): Promise<void> {
  try {
    await eventually(check, patienceMs);
  } catch (error) {
    patienceMs = 500;
    throw error;
  }
}

/** Waits until so many events of a tenant have their numbers. */
async function numbered({ organizationId }: Tenant, last: number): Promise<void> {
  await soon(async () => {
    const feed = await feeds().findOne({ organizationId });
    const unnumbered = await events().countDocuments({ organizationId, sequence: null });
    const state = { last: feed?.['last'], plan: feed?.['pending'], unnumbered };
    expect(state).toEqual({ last, plan: null, unnumbered: expect.any(Number) });
  });
}

async function post({ key }: Tenant, path: string, body: object): Promise<Document> {
  const response = await service.api('post', path).set('api-key', key).send(body);
  expect(response.status).toBeLessThan(300);
  return response.body;
}

/** Stores events as an instance of the version before did: without a number or a time of storing. */
async function addOldEvents(
  { organizationId }: Tenant,
  count: number,
  overrides: Document = {},
): Promise<ObjectId[]> {
  const past = new Date(Date.now() - 60_000);
  const times = { relayedAt: past, createdAt: past, updatedAt: past };
  const documents = Array.from({ length: count }, (_, index) => {
    const data = { _id: new ObjectId().toHexString(), index };
    return { _id: new ObjectId(), organizationId, type: 'lead.created', data, ...times };
  });
  await events().insertMany(documents.map((document) => ({ ...document, ...overrides })));
  return documents.map(({ _id }) => _id);
}

describe('GET /events', () => {
  it('gives what webhooks tell, numbered from 1 in the order of the changes', async () => {
    const tenant = await addReader();
    const endpoint = await service.subscribe(tenant, receiver.url);
    await post(tenant, '/leads', { recordSystemId: 'a', phoneNumber: '01001234567', name: 'Mona' });
    await post(tenant, '/leads', { recordSystemId: 'a', name: 'Mona Adel' });
    await service.api('delete', '/leads/a').set('api-key', tenant.key).expect(200);
    const requests = await receiver.receivedRequests(5);
    await numbered(tenant, 5);
    const { body, headers } = await read(tenant).expect(200);
    expect(body.data.map(({ type }: Document) => type)).toEqual([
      'client.created',
      'lead.created',
      'client.updated',
      'lead.updated',
      'lead.deleted',
    ]);
    expect(body.data.map(({ sequence }: Document) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect([body.next, body.hasMore, headers['x-next-cursor']]).toEqual([5, false, '5']);
    // Byte for byte what was sent, but for the number and the id, which webhooks have in a header.
    const verifier = new Webhook(endpoint.secret);
    const told = requests.map(({ body: sent, headers: sentHeaders }) => {
      verifier.verify(sent, sentHeaders);
      return { id: sentHeaders['webhook-id'], ...(JSON.parse(sent) as object) };
    });
    const shown = body.data.map(({ sequence: _sequence, ...event }: Document) => event);
    const byId = (one: Document, other: Document) => (one['id'] < other['id'] ? -1 : 1);
    expect(shown.toSorted(byId)).toEqual(told.toSorted(byId));
    // A replay sends the same again.
    const [first] = body.data;
    const deliveries = service.db.collection('webhookDeliveries');
    const stored = await deliveries.findOne({ messageId: first.id });
    const { sequence: _sequence, id: _id, ...payload } = first;
    expect(JSON.stringify(payload)).toBe(stored?.['body']);
  });

  it('is the same in pages of any size, and by type', async () => {
    const tenant = await addReader();
    await addOldEvents(tenant, 25);
    await addOldEvents(tenant, 3, { type: 'unit.updated', changes: [] });
    await addOldEvents(tenant, 9);
    await numbered(tenant, 37);
    const all = await readAll(tenant, { limit: 1000 });
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(await readAll(tenant, { limit: 7 })).toEqual(all);
    const ofUnits = await readAll(tenant, { limit: 2, types: 'unit.*,lead.deleted' });
    expect(ofUnits).toEqual(all.filter(({ type }) => type === 'unit.updated'));
    // Who asks for what there is not goes on behind what was looked at.
    const { body } = await read(tenant, { types: 'wallet.created' }).expect(200);
    expect(body).toEqual({ data: [], next: 37, hasMore: false });
  });

  it('has no page larger than some MiB; a single larger event comes alone', async () => {
    const tenant = await addReader();
    const data = { text: 'x'.repeat(1_500_000) };
    await addOldEvents(tenant, 3, { data });
    await addOldEvents(tenant, 1, { data: { text: 'x'.repeat(6_000_000) } });
    await numbered(tenant, 4);
    const pages: number[][] = [];
    for (let after = 0; after < 4;) {
      const { body } = await read(tenant, { after }).expect(200);
      pages.push(body.data.map(({ sequence }: Document) => sequence));
      after = body.next;
    }
    expect(pages).toEqual([[1, 2], [3], [4]]);
  });

  it('is for keys with the permission only, whatever else they may', async () => {
    const tenant = await addReader();
    const key = await addKey(service.db, tenant.organizationId);
    const refused = await read({ ...tenant, key }, { nonsense: 1 }).expect(403);
    expect(refused.body).toEqual({
      statusCode: 403,
      message: 'This API key may not read events',
      error: 'Forbidden',
    });
    expect(refused.headers['x-error-code']).toBe('key.may_not_read_events');
    const arabic = await read({ ...tenant, key }, {}, { language: 'ar-eg' }).expect(403);
    expect(arabic.body.message).toBe('لا يُسمح لمفتاح API هذا بقراءة الأحداث');
  });

  it('shows an organization its own events only', async () => {
    const [one, other] = [await addReader(), await addReader()];
    await addOldEvents(one, 3);
    const [foreign] = await addOldEvents(other, 2);
    await numbered(one, 3);
    await numbered(other, 2);
    const ids = (await readAll(one)).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(ids).not.toContain(`msg_${foreign?.toHexString()}`);
    // Of another organization's event it learns no more than of one that never was.
    const lastEventId = `msg_${foreign?.toHexString()}`;
    const refused = await read(one, { lastEventId }).expect(410);
    expect(refused.headers['x-next-cursor']).toBe('0');
  });

  it.each<[Document, string]>([
    [{ after: -1 }, 'after must be a whole number from 0 to 9007199254740991'],
    [{ after: 1.5 }, 'after must be a whole number from 0 to 9007199254740991'],
    [{ limit: 0 }, 'limit must be a whole number from 1 to 1000'],
    [{ limit: 1001 }, 'limit must be a whole number from 1 to 1000'],
    [{ wait: 26 }, 'wait must be a whole number from 0 to 25'],
    [{ timeout: 25_001 }, 'timeout must be a whole number from 0 to 25000'],
    [{ lastEventId: 'msg_1' }, 'lastEventId must be the id or the number of an event'],
    [{ since: 1 }, 'since is not a known parameter'],
  ])('refuses %j', async (parameters, message) => {
    const { body } = await read(await addReader(), parameters).expect(400);
    expect(body.message).toEqual([message]);
  });

  it('refuses types that there are not, and a number beyond the last', async () => {
    const tenant = await addReader();
    const { body } = await read(tenant, { types: 'lead.created,leads.*' }).expect(400);
    expect(body.message).toEqual([expect.stringMatching(/^types must be one of .*lead\.\*/)]);
    await addOldEvents(tenant, 2);
    await numbered(tenant, 2);
    await read(tenant, { after: 2 }).expect(200);
    const beyond = await read(tenant, { after: 3 }).expect(400);
    expect(beyond.headers['x-error-code']).toBe('events.beyond_last');
    expect(beyond.body.message).toEqual(['after must not exceed 2, the number of the last event']);
  });

  it('answers 304 while there is nothing new, and to HEAD as to GET', async () => {
    const tenant = await addReader();
    const { headers } = await read(tenant).expect(200);
    await read(tenant, {}, { 'if-none-match': headers['etag'] ?? '' }).expect(304);
    await addOldEvents(tenant, 1);
    await numbered(tenant, 1);
    await read(tenant, {}, { 'if-none-match': headers['etag'] ?? '' }).expect(200);
  });
});

describe('a batch of CloudEvents', () => {
  const accept = { accept: 'application/cloudevents-batch+json' };

  it('has the same events, and goes on behind the last id as behind the last number', async () => {
    const tenant = await addReader();
    await post(tenant, '/leads', { recordSystemId: 'a', name: 'Mona' });
    await post(tenant, '/leads', { recordSystemId: 'a', name: 'Mona Adel' });
    await numbered(tenant, 4);
    const plain = await readAll(tenant);
    const { body, headers } = await read(tenant, {}, accept).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
      'x-next-cursor': '4',
      vary: expect.stringContaining('accept'),
    });
    expect(body).toEqual(
      plain.map(({ sequence, id, type, timestamp, data, changes }) => ({
        specversion: '1.0',
        id,
        source: `/organizations/${tenant.organizationId.toHexString()}`,
        type,
        time: timestamp,
        subject: data._id,
        datacontenttype: 'application/json',
        sequence: String(sequence),
        ...(changes === undefined ? {} : { changes: JSON.stringify(changes) }),
        data,
      })),
    );
    expect(body.some(({ changes }: Document) => changes !== undefined)).toBe(true);
    const rest = await read(tenant, { lastEventId: body[1].id }, accept).expect(200);
    expect(rest.body).toEqual(body.slice(2));
    const byNumber = await read(tenant, { lastEventId: '3' }, accept).expect(200);
    expect(byNumber.body).toEqual(body.slice(3));
    const none = await read(tenant, { lastEventId: body[3].id, timeout: 50 }, accept).expect(200);
    expect(none.body).toEqual([]);
  });
});

describe('an event that is older than events are kept', () => {
  const day = 86_400_000;

  it('is shown no more; who was not yet past it learns where to go on', async () => {
    const tenant = await addReader();
    await addOldEvents(tenant, 6);
    await numbered(tenant, 6);
    const { organizationId } = tenant;
    const age = (from: number, to: number, days: number) =>
      events().updateMany(
        { organizationId, sequence: { $gte: from, $lte: to } },
        { $set: { numberedAt: new Date(Date.now() - days * day) } },
      );
    await age(1, 4, 2.01);
    // Behind its time, but the database has not removed any yet.
    const expired = await read(tenant, { after: 2 }).expect(410);
    expect(expired.headers).toMatchObject({
      'x-error-code': 'events.expired',
      'x-next-cursor': '4',
    });
    expect(expired.body).toEqual({
      statusCode: 410,
      message: 'What followed is no longer kept: go on with after=4',
      error: 'Gone',
    });
    const sequences = async (parameters: Document) =>
      (await read(tenant, parameters).expect(200)).body.data.map(
        ({ sequence }: Document) => sequence,
      );
    expect(await sequences({ after: 4 })).toEqual([5, 6]);
    expect(await sequences({ after: 0 })).toEqual([5, 6]);
    expect(await sequences({ after: 0, types: 'lead.*' })).toEqual([5, 6]);
    await read(tenant, { after: 3, types: 'unit.*' }).expect(410);
    // The database removes them in no certain order.
    await events().deleteMany({ organizationId, sequence: { $in: [1, 3] } });
    expect(await sequences({ after: 0 })).toEqual([5, 6]);
    await events().deleteMany({ organizationId, sequence: { $in: [2, 4] } });
    expect((await read(tenant, { after: 1 }).expect(410)).headers['x-next-cursor']).toBe('4');
    // When nothing is left, the feed goes on behind its last number.
    await age(5, 6, 3);
    expect((await read(tenant, { after: 1 }).expect(410)).headers['x-next-cursor']).toBe('6');
    expect((await read(tenant).expect(200)).body).toEqual({ data: [], next: 6, hasMore: false });
    await addOldEvents(tenant, 1);
    await numbered(tenant, 7);
    expect(await sequences({ after: 6 })).toEqual([7]);
  });
});

describe('numbers', () => {
  it('follow the order of storing, whatever the clocks of the instances say', async () => {
    const tenant = await addReader();
    const behind = await startOther();
    const { key } = tenant;
    // The instance whose clock is ahead stores first.
    await service.passTime(5_000);
    await post(tenant, '/leads', { recordSystemId: 'a', data: { step: 1 } });
    const leads = behind.api('post', '/leads').set('api-key', key);
    await leads.send({ recordSystemId: 'a', data: { step: 2 } }).expect(200);
    await service.passTime(-5_000);
    await numbered(tenant, 2);
    const all = await readAll(tenant);
    expect(all.map(({ type }) => type)).toEqual(['lead.created', 'lead.updated']);
  });

  it('follow it within a batch too, whatever the ids of the events say', async () => {
    const tenant = await addReader();
    const ids = Array.from({ length: 5 }, () => new ObjectId()).toReversed();
    const now = new Date();
    const { organizationId } = tenant;
    const common = { organizationId, type: 'lead.created', data: {}, storedAt: timeOfStoring };
    const times = { relayedAt: now, createdAt: now, updatedAt: now };
    await events().insertMany(ids.map((_id) => ({ _id, ...common, ...times })));
    await numbered(tenant, ids.length);
    const all = await readAll(tenant);
    expect(all.map(({ id }) => id)).toEqual(ids.map((id) => `msg_${id.toHexString()}`));
  });

  it('are given to what instances of the version before left, in its order, and once', async () => {
    const tenant = await addReader();
    const ids = await addOldEvents(tenant, 600);
    await addOldEvents(tenant, 2, { relayedAt: null });
    await post(tenant, '/leads', { recordSystemId: 'a', data: {} });
    await numbered(tenant, 603);
    const all = await readAll(tenant, { limit: 1000 });
    expect(all.slice(0, 600).map(({ id }) => id)).toEqual(
      ids.map((id) => `msg_${id.toHexString()}`),
    );
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(await events().countDocuments({ sequence: null })).toBe(0);
  });

  it('are finished as planned when a process has died in the middle', async () => {
    const tenant = await addReader();
    await addOldEvents(tenant, 2);
    await numbered(tenant, 2);
    const { organizationId } = tenant;
    const state = { _id: organizationId, organizationId };
    const relay = service.service.app.get(WebhookRelay);
    // The plan is stored, with another event before them; of the numbers none, or some, or all.
    for (const [step, stored] of [0, 1, 2].entries()) {
      const first = 3 + step * 3;
      const eventIds = [new ObjectId(), new ObjectId()];
      const pending = { first, eventIds, at: new Date() };
      await feeds().updateOne(state, { $set: { pending, numberedBy: 'killed' } });
      const numbers = eventIds.map((_id, index) => ({
        _id,
        ...(index < stored ? { sequence: first + index, numberedAt: new Date() } : {}),
      }));
      const times = { relayedAt: new Date(), createdAt: new Date(), updatedAt: new Date() };
      const data = { _id: new ObjectId().toHexString() };
      await events().insertMany(
        numbers.map((fields) => ({
          organizationId,
          type: 'lead.created',
          data,
          ...times,
          ...fields,
        })),
      );
      // What is planned and not finished is not shown.
      expect((await read(tenant).expect(200)).body.next).toBeLessThan(first);
      // Where all have their numbers no event leads to the plan: who takes over looks for it.
      service.service.app.get(EventNumbering).lookForPlans();
      await Promise.all([relay.relay(), relay.relay()]);
      await numbered(tenant, first + 1);
      await addOldEvents(tenant, 1);
      await numbered(tenant, first + 2);
      const [one, two, three] = (await read(tenant, { after: first - 1 }).expect(200)).body.data;
      expect([one.id, two.id]).toEqual(eventIds.map((id) => `msg_${id.toHexString()}`));
      expect(three.sequence).toBe(first + 2);
    }
  });

  it('are not given twice when two processes number at the same time', async () => {
    const tenant = await addReader();
    const other = await startOther();
    const relays = [service, other].map(({ service: { app } }) => app.get(WebhookRelay));
    const count = 400;
    const stored = addOldEvents(tenant, count);
    for (let round = 0; round < 20; round++) {
      await Promise.all(relays.map((relay) => relay.relay()));
    }
    await stored;
    await numbered(tenant, count);
    const all = await readAll(tenant, { limit: 1000 });
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
  });

  it.each(['findMany', 'plan'] as const)(
    'are not given again to what another process has numbered before %s',
    async (step) => {
      const tenant = await addReader();
      await addOldEvents(tenant, 1);
      await numbered(tenant, 1);
      const other = await startOther();
      let hasMet = false;
      let count = 1;
      before(other.service.app.get(EventFeedsRepository), step, async () => {
        hasMet = true;
        // One more than what the other process has read.
        await addOldEvents(tenant, 1);
        count += 1;
        await service.service.app.get(WebhookRelay).relay();
      });
      // The service may be the first to read them.
      while (!hasMet) {
        await addOldEvents(tenant, 3);
        count += 3;
        await other.service.app.get(WebhookRelay).relay();
      }
      await addOldEvents(tenant, 1);
      await numbered(tenant, count + 1);
      const all = await readAll(tenant, { limit: 1000 });
      expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
      expect(all).toHaveLength(count + 1);
    },
  );
});

describe('the commands of the feed', () => {
  it('stay on one index and read no more than they show, wherever the page is', async () => {
    const tenant = await addReader();
    await addOldEvents(tenant, 400);
    await addOldEvents(tenant, 100, { type: 'unit.updated' });
    await numbered(tenant, 500);
    const profile = service.db.collection('system.profile');
    const examined = async (parameters: Document) => {
      await service.db.command({ profile: 2 });
      await read(tenant, parameters).expect(200);
      await service.db.command({ profile: 0 });
      const ns = `${service.db.databaseName}.outboxEvents`;
      const commands = await profile
        .find({ ns, 'command.lsid': { $exists: true }, planSummary: /feed|organizationId/ })
        .toArray();
      await profile.drop();
      for (const { planSummary, hasSortStage } of commands) {
        expect(planSummary).toBe('IXSCAN { organizationId: 1, sequence: 1 }');
        expect(hasSortStage).toBeUndefined();
      }
      expect(commands.length).toBeGreaterThan(0);
      const sum = (field: string) =>
        commands.reduce((total, command) => total + Number(command[field] ?? 0), 0);
      return { keys: sum('keysExamined'), documents: sum('docsExamined') };
    };
    for (const after of [0, 250, 390]) {
      const { keys, documents } = await examined({ after, limit: 50 });
      expect(keys).toBeLessThanOrEqual(53);
      expect(documents).toBeLessThanOrEqual(53);
    }
    // For a type what is passed over is looked at, 5,000 events at a time.
    const ofType = await examined({ after: 0, limit: 50, types: 'unit.*' });
    expect(ofType.documents).toBeGreaterThan(400);
    expect(ofType.documents).toBeLessThanOrEqual(453);
  });
});

describe('a request that waits', () => {
  const waitersOf = ({ service: { app } }: TestService) => app.get(EventWaiters);
  const waiting = (count: number, at: TestService = service) =>
    soon(() => expect(waitersOf(at).stats().waiting).toBe(count));
  /** Begins to read; `response` is there when it came. */
  const begin = (request: ReturnType<typeof read>) => request.then((response) => response);

  it('gets an event as soon as it has its number, and only one of the types it asked for', async () => {
    const tenant = await addReader();
    const all = begin(read(tenant, { wait: patience() }));
    const deleted = begin(read(tenant, { wait: patience(), types: 'lead.deleted' }));
    const cloudEvents = begin(
      read(
        tenant,
        { timeout: patience() * 1_000 },
        { accept: 'application/cloudevents-batch+json' },
      ),
    );
    await waiting(3);
    await post(tenant, '/leads', { recordSystemId: 'a', data: {} });
    expect((await all).body).toMatchObject({ data: [{ type: 'lead.created' }], next: 1 });
    expect((await cloudEvents).body).toMatchObject([{ type: 'lead.created' }]);
    await waiting(1);
    await service.api('delete', '/leads/a').set('api-key', tenant.key).expect(200);
    expect((await deleted).body).toMatchObject({ data: [{ type: 'lead.deleted', sequence: 2 }] });
    expect(waitersOf(service).stats().waiting).toBe(0);
  });

  it('hears of what another process has numbered', async () => {
    const tenant = await addReader();
    const other = await startOther();
    const reading = begin(
      other.api('get', `/events?wait=${patience()}`).set('api-key', tenant.key),
    );
    await waiting(1, other);
    await addOldEvents(tenant, 1);
    expect((await reading).body).toMatchObject({ data: [{ sequence: 1 }], next: 1 });
    // One that came before waits for nothing.
    const { body } = await other
      .api('get', `/events?wait=${patience()}`)
      .set('api-key', tenant.key);
    expect(body.data).toHaveLength(1);
  });

  it('hears of them while there is no stream, too', async () => {
    const tenant = await addReader();
    const other = await startOther();
    const first = begin(other.api('get', '/events?wait=1').set('api-key', tenant.key));
    expect((await first).body).toEqual({ data: [], next: 0, hasMore: false });
    await watcherOf(other).stop();
    const reading = begin(
      other.api('get', `/events?wait=${patience()}`).set('api-key', tenant.key),
    );
    await waiting(1, other);
    await addOldEvents(tenant, 1);
    expect((await reading).body.data).toHaveLength(1);
  });

  it('costs the database nothing, though a thousand do, and all hear of an event', async () => {
    const tenant = await addReader();
    const id = tenant.organizationId.toHexString();
    await read(tenant, { wait: 1 }).expect(200);
    await soon(() => expect(watcherOf(service).age).toBeLessThan(Number.POSITIVE_INFINITY));
    relyOnStream(service);
    const looks = countLooks(service);
    const readings: ReturnType<typeof begin>[] = [];
    // Not all at once: the listener's queue has no room for so many.
    while (readings.length < rounds(300, 1_000)) {
      for (let some = 0; some < 100; some++) readings.push(begin(read(tenant, { wait: 25 })));
      await waiting(readings.length);
    }
    // Each is counted as waiting before it looks whether there is something already.
    await soon(() => expect(looks()).toBe(readings.length));
    const commands: string[] = [];
    service.tenantCommands.onCommand(({ organizations, name, collection, fields }) => {
      // Every five seconds a pass looks for phones in the leads of all organizations.
      if (collection === 'leads' || organizations?.includes(id) !== true) return;
      commands.push(`${name} ${collection} by ${fields.join(', ')}`);
    });
    // Another organization's events are none of theirs.
    const other = await addReader();
    await addOldEvents(other, 3);
    await numbered(other, 3);
    expect(commands).toEqual([]);
    await addOldEvents(tenant, 1);
    const responses = await Promise.all(readings);
    const came = responses.map(({ status, body }) => `${status} ${body.data?.length}`);
    expect([...new Set(came)]).toEqual(['200 1']);
    // Numbering it, and one reading for all of them.
    expect(commands.length).toBeLessThan(50);
    expect(waitersOf(service).stats().waiting).toBe(0);
  });

  it('leaves when its client does', async () => {
    const tenant = await addReader();
    const left = new AbortController();
    const reading = fetch(`${service.url}/${basePath}/events?wait=25`, {
      headers: { 'api-key': tenant.key },
      signal: left.signal,
    });
    await waiting(1);
    left.abort();
    await expect(reading).rejects.toThrow(/abort/);
    await waiting(0);
  });

  it('ends at once when the service does, without an error, and none begins after that', async () => {
    const tenant = await addReader();
    const ending = await startOther();
    const wait = () => ending.api('get', '/events?wait=25').set('api-key', tenant.key);
    const reading = begin(wait());
    await waiting(1, ending);
    const ended = ending.service.shutDown();
    const [first, second] = await Promise.all([reading, begin(wait())]);
    for (const response of [first, second]) {
      expect([response.status, response.body.data]).toEqual([200, []]);
      expect(response.headers['connection']).toBe('close');
    }
    expect(await ended).toBe(true);
  });

  // The last one: it leaves the service without a stream.
  it('hears of what its own process has numbered without asking the database', async () => {
    const tenant = await addReader();
    relyOnStream(service);
    await watcherOf(service).stop();
    const reading = begin(read(tenant, { wait: patience() }));
    await waiting(1);
    await addOldEvents(tenant, 1);
    expect((await reading).body.data).toHaveLength(1);
  });
});

/** The stream by which a service hears of events that others have numbered. */
function watcherOf({ service: { app } }: TestService): ChangeWatcher {
  return app.get(EventFeedChanges)['watcher'];
}

/** The stream counts as heard, so that nobody looks by himself, also where a busy machine holds it up. */
function relyOnStream(of: TestService): void {
  Object.defineProperty(watcherOf(of), 'age', { value: 0, configurable: true });
}

/** Does something before each call of a method. */
function before<Name extends string>(
  object: Record<Name, (...parameters: never[]) => Promise<unknown>>,
  name: Name,
  act: () => Promise<unknown>,
): void {
  const method = object[name];
  object[name] = async (...parameters) => {
    await act();
    return method.apply(object, parameters);
  };
}

/** Counts how often a service has looked for events from now on. */
function countLooks({ service: { app } }: TestService): () => number {
  const feed = app.get(EventFeedService);
  const page = feed.page.bind(feed);
  let count = 0;
  feed.page = async (...parameters) => {
    const found = await page(...parameters);
    count += 1;
    return found;
  };
  return () => count;
}
