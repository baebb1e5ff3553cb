import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import { EventRelay } from '../../src/events/outbox/event-relay.js';
import { Outbox } from '../../src/events/outbox/outbox.js';
import { startSession } from '../operator/command-line.js';
import { publishedEvents, type Tenant } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { FeedClient } from './feed-client.js';

let feed: FeedClient;

beforeAll(async () => {
  feed = await FeedClient.start();
});
afterEach(() => feed.stopOthers());
afterAll(() => feed.stop());

describe('the relay', () => {
  it('numbers events in storage order even when the clocks of instances differ', async () => {
    const tenant = await feed.addReader();
    const behind = await feed.startOther();
    const { key } = tenant;
    // The instance whose clock is ahead stores first.
    await feed.service.passTime(5_000);
    await feed.post(tenant, '/leads', { recordSystemId: 'a', data: { step: 1 } });
    const leads = behind.api('post', '/leads').set('api-key', key);
    await leads.send({ recordSystemId: 'a', data: { step: 2 } }).expect(200);
    await feed.service.passTime(-5_000);
    await feed.numbered(tenant, 2);
    const all = await feed.readAll(tenant);
    expect(all.map(({ type }) => type)).toEqual(['lead.created', 'lead.updated']);
  });

  it('numbers events of one batch in storage order, regardless of their ids', async () => {
    const tenant = await feed.addReader();
    const events = publishedEvents(tenant.organizationId, 5).toReversed();
    await feed.events.insertMany(events);
    await feed.numbered(tenant, events.length);
    const all = await feed.readAll(tenant);
    expect(all.map(({ id }) => id)).toEqual(events.map(({ _id }) => `msg_${_id.toHexString()}`));
  });

  it('gives each number once when two processes number concurrently', async () => {
    const tenant = await feed.addReader();
    const other = await feed.startOther();
    const relays = [feed.service, other].map(({ service: { app } }) => app.get(EventRelay));
    const count = 400;
    const stored = feed.addEvents(tenant, count);
    for (let round = 0; round < 20; round++) {
      await Promise.all(relays.map((relay) => relay.relayNext()));
    }
    await stored;
    await feed.numbered(tenant, count);
    const all = await feed.readAll(tenant, { limit: 1000 });
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
  });

  it('skips no event of a transaction that commits late', async () => {
    const tenant = await feed.addReader();
    const organizationId = new Types.ObjectId(tenant.organizationId.toHexString());
    const [early, late] = [await startReceiver(), await startReceiver()];
    const other = await feed.startOther({ ROLE: 'all' });
    await feed.service.subscribe(tenant, early.url);
    const instances = [feed.service, other];
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const stored: Promise<unknown>[] = [];
    const committed = instances.map(({ service: { app } }, index) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stored.push(promise);
      return app.get(Transactions).run(async () => {
        const data = { _id: new ObjectId().toHexString(), name: `late ${index}` };
        const event = { type: 'lead.created', data } as const;
        await app.get(Outbox).publish(organizationId, [event], new Date());
        resolve();
        await mayCommit;
      });
    });
    await Promise.all(stored);
    // These are stored later and numbered first: the other two are not visible yet.
    for (const { api } of instances) {
      for (let count = 0; count < 2; count++) {
        const lead = { recordSystemId: new ObjectId().toHexString(), data: {} };
        await api('post', '/leads').set('api-key', tenant.key).send(lead).expect(201);
      }
    }
    await feed.numbered(tenant, 4);
    await feed.service.subscribe(tenant, late.url);
    commit();
    await Promise.all(committed);
    await feed.numbered(tenant, 6);
    const all = await feed.readAll(tenant);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    const names = all.slice(4).map(({ data }) => data.name);
    expect(names.toSorted()).toEqual(['late 0', 'late 1']);
    const idsAt = async (receiver: Receiver, count: number) =>
      (await receiver.receivedRequests(count)).map(({ headers }) => headers['webhook-id']);
    const ids = all.map(({ id }) => id);
    expect((await idsAt(early, 6)).toSorted()).toEqual(ids.toSorted());
    // An endpoint that was added before the commit gets the event, too.
    expect((await idsAt(late, 2)).toSorted()).toEqual(ids.slice(4).toSorted());
    await Promise.all([early.stop(), late.stop()]);
  });

  it('continues after the highest number when a restore has reset the feed', async () => {
    const [restored, other] = [await feed.addReader(), await feed.addReader()];
    await feed.addEvents(restored, 3);
    await feed.numbered(restored, 3);
    // A restore without a consistent snapshot leaves this state.
    const { organizationId } = restored;
    await feed.feeds.updateOne({ organizationId }, { $set: { last: 1 } });
    await feed.addEvents(restored, 1);
    await feed.addEvents(other, 1);
    await feed.numbered(other, 1);
    await feed.numbered(restored, 4);
    const all = await feed.readAll(restored);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('keeps times ascending in an organization when the clock of one process is ahead', async () => {
    const [ahead, other] = [await feed.addReader(), await feed.addReader()];
    await feed.addEvents(ahead, 1);
    await feed.numbered(ahead, 1);
    const future = new Date(Date.now() + 365 * 86_400_000);
    const { organizationId } = ahead;
    await feed.feeds.updateOne({ organizationId }, { $set: { numberedAt: future } });
    await feed.addEvents(ahead, 1);
    await feed.addEvents(other, 1);
    await feed.numbered(ahead, 2);
    await feed.numbered(other, 1);
    const timeOf = async (tenant: Tenant, sequence: number) => {
      const event = { organizationId: tenant.organizationId, sequence };
      return (await feed.events.findOne(event))?.['numberedAt'];
    };
    expect(await timeOf(ahead, 2)).toEqual(future);
    expect((await timeOf(other, 1)).getTime()).toBeLessThan(Date.now() + 60_000);
  });

  it('skips an event whose deliveries cannot be created, stores the reason, and numbers the others', async () => {
    const tenant = await feed.addReader();
    await feed.service.subscribe(tenant, 'http://127.0.0.1:1/');
    const broken = { type: 5 };
    const options = { bypassDocumentValidation: true };
    const { organizationId } = tenant;
    const events = publishedEvents(organizationId, 9);
    Object.assign(events[4] ?? {}, broken);
    await feed.events.insertMany(events, options);
    await feed.numbered(tenant, 9);
    const all = await feed.events.find({ organizationId }).sort({ sequence: 1 }).toArray();
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const failed = all.filter(({ failureReason }) => failureReason !== undefined);
    expect(failed).toMatchObject([{ sequence: 5, type: 5, failureReason: expect.any(String) }]);
    const deliveries = feed.service.db.collection('webhookDeliveries');
    expect(await deliveries.countDocuments({ organizationId })).toBe(8);
    expect(feed.service.logged()).toContain('Could not create the deliveries of an event');
    const session = startSession({ MONGODB_URI: feed.service.databaseUri });
    const org = organizationId.toHexString();
    expect(await session.json('webhook', 'events', '--org', org, '--failed')).toMatchObject([
      { _id: String(failed[0]?._id), relayedAt: expect.any(String) },
    ]);
  });
});

describe('a page of the feed', () => {
  it('reads one index, and no more entries than it returns, from any position', async () => {
    const tenant = await feed.addReader();
    await feed.addEvents(tenant, 400);
    await feed.addEvents(tenant, 100, { type: 'unit.updated' });
    await feed.numbered(tenant, 500);
    const profile = feed.service.db.collection('system.profile');
    const examined = async (parameters: Document) => {
      await feed.service.db.command({ profile: 2 });
      await feed.read(tenant, parameters).expect(200);
      await feed.service.db.command({ profile: 0 });
      const ns = `${feed.service.db.databaseName}.outboxEvents`;
      const commands = await profile
        .find({
          ns,
          'command.lsid': { $exists: true },
          planSummary: /feed|organizationId/,
          // The relay asks for events without a number.
          'command.filter.sequence': { $not: { $type: 'null' } },
        })
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
    // A search for types reads other events too, 5,000 at a time.
    const ofType = await examined({ after: 0, limit: 50, types: 'unit.*' });
    expect(ofType.documents).toBeGreaterThan(400);
    expect(ofType.documents).toBeLessThanOrEqual(453);
  });
});

describe('a page during a failover', () => {
  it('contains every event up to its next number', async () => {
    const tenant = await feed.addReader();
    await feed.addEvents(tenant, 3);
    await feed.numbered(tenant, 3);
    const repository = feed.service.service.app.get(EventRelay);
    const lastNumber = repository.lastNumber.bind(repository);
    repository.lastNumber = async (organizationId) => {
      const found = await lastNumber(organizationId);
      // A new primary may not know yet that a majority has the event.
      await feed.events.updateOne({ organizationId, sequence: 3 }, { $unset: { sequence: 1 } });
      return found;
    };
    try {
      const { body } = await feed.read(tenant).expect(200);
      expect([body.data.length, body.next]).toEqual([3, 3]);
    } finally {
      repository.lastNumber = lastNumber;
      await feed.events.deleteMany({ organizationId: tenant.organizationId });
    }
  });
});
