import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { EventFeedsRepository } from '../../src/events/outbox/event-feeds.repository.js';
import { EventNumbering } from '../../src/events/outbox/event-numbering.js';
import { timeOfStoring } from '../../src/events/outbox/outbox-event.schema.js';
import { WebhookRelay } from '../../src/webhooks/sending/webhook-relay.js';
import type { Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { FeedClient } from './feed-client.js';

let feed: FeedClient;

beforeAll(async () => {
  feed = await FeedClient.start();
});
afterEach(() => feed.stopOthers());
afterAll(() => feed.stop());

describe('numbers', () => {
  it('follow the order of storing, whatever the clocks of the instances say', async () => {
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

  it('follow it within a batch too, whatever the ids of the events say', async () => {
    const tenant = await feed.addReader();
    const ids = Array.from({ length: 5 }, () => new ObjectId()).toReversed();
    const now = new Date();
    const { organizationId } = tenant;
    const common = { organizationId, type: 'lead.created', data: {}, storedAt: timeOfStoring };
    const times = { relayedAt: now, createdAt: now, updatedAt: now };
    await feed.events.insertMany(ids.map((_id) => ({ _id, ...common, ...times })));
    await feed.numbered(tenant, ids.length);
    const all = await feed.readAll(tenant);
    expect(all.map(({ id }) => id)).toEqual(ids.map((id) => `msg_${id.toHexString()}`));
  });

  it('are given to what instances of the version before left, in its order, and once', async () => {
    const tenant = await feed.addReader();
    const ids = await feed.addOldEvents(tenant, 600);
    await feed.addOldEvents(tenant, 2, { relayedAt: null });
    await feed.post(tenant, '/leads', { recordSystemId: 'a', data: {} });
    await feed.numbered(tenant, 603);
    const all = await feed.readAll(tenant, { limit: 1000 });
    expect(all.slice(0, 600).map(({ id }) => id)).toEqual(
      ids.map((id) => `msg_${id.toHexString()}`),
    );
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(await feed.events.countDocuments({ sequence: null })).toBe(0);
  });

  it('are finished as planned when a process has died in the middle', async () => {
    const tenant = await feed.addReader();
    await feed.addOldEvents(tenant, 2);
    await feed.numbered(tenant, 2);
    const { organizationId } = tenant;
    const state = { _id: organizationId, organizationId };
    const relay = feed.service.service.app.get(WebhookRelay);
    // The plan is stored, with another event before them; of the numbers none, or some, or all.
    for (const [step, stored] of [0, 1, 2].entries()) {
      const first = 3 + step * 3;
      const eventIds = [new ObjectId(), new ObjectId()];
      const pending = { first, eventIds, at: new Date() };
      await feed.feeds.updateOne(state, { $set: { pending, numberedBy: 'killed' } });
      const numbers = eventIds.map((_id, index) => ({
        _id,
        ...(index < stored ? { sequence: first + index, numberedAt: new Date() } : {}),
      }));
      const times = { relayedAt: new Date(), createdAt: new Date(), updatedAt: new Date() };
      const data = { _id: new ObjectId().toHexString() };
      await feed.events.insertMany(
        numbers.map((fields) => ({
          organizationId,
          type: 'lead.created',
          data,
          ...times,
          ...fields,
        })),
      );
      // What is planned and not finished is not shown.
      expect((await feed.read(tenant).expect(200)).body.next).toBeLessThan(first);
      // Where all have their numbers no event leads to the plan: who takes over looks for it.
      feed.service.service.app.get(EventNumbering).lookForPlans();
      await Promise.all([relay.relay(), relay.relay()]);
      await feed.numbered(tenant, first + 1);
      await feed.addOldEvents(tenant, 1);
      await feed.numbered(tenant, first + 2);
      const [one, two, three] = (await feed.read(tenant, { after: first - 1 }).expect(200)).body
        .data;
      expect([one.id, two.id]).toEqual(eventIds.map((id) => `msg_${id.toHexString()}`));
      expect(three.sequence).toBe(first + 2);
    }
  });

  it('are not given twice when two processes number at the same time', async () => {
    const tenant = await feed.addReader();
    const other = await feed.startOther();
    const relays = [feed.service, other].map(({ service: { app } }) => app.get(WebhookRelay));
    const count = 400;
    const stored = feed.addOldEvents(tenant, count);
    for (let round = 0; round < 20; round++) {
      await Promise.all(relays.map((relay) => relay.relay()));
    }
    await stored;
    await feed.numbered(tenant, count);
    const all = await feed.readAll(tenant, { limit: 1000 });
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
  });

  it('are in the order of changes that know of each other, though one is committed while events are read', async () => {
    const quiet = await FeedClient.start({ ROLE: 'api' });
    try {
      const [tenant, other] = [await quiet.addReader(), await quiet.addReader()];
      const { db } = quiet.service;
      const admin = db.client.db('admin');
      const eventOf = ({ organizationId }: Tenant, type: string) => {
        const now = new Date();
        const times = { relayedAt: now, createdAt: now, updatedAt: now };
        const data = { _id: new ObjectId().toHexString() };
        return {
          _id: new ObjectId(),
          organizationId,
          type,
          data,
          storedAt: timeOfStoring,
          ...times,
        };
      };
      const majority = { writeConcern: { w: 'majority' } } as const;
      await db.client.withSession(async (session) => {
        session.startTransaction(majority);
        await quiet.events.insertOne(eventOf(tenant, 'lead.created'), { session });
        // More than one reply of the server has.
        const others = Array.from({ length: 150 }, () => eventOf(other, 'lead.created'));
        await quiet.events.insertMany(others, majority);
        const data = {
          failCommands: ['getMore'],
          namespace: quiet.events.namespace,
          blockConnection: true,
          blockTimeMS: 1_000,
        };
        await admin.command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
        const relay = quiet.service.service.app.get(WebhookRelay);
        const relayed = relay.relay();
        // The relay has one reply, and waits for the next.
        const originating = { 'cursor.originatingCommand.find': quiet.events.collectionName };
        await eventually(async () => {
          const operations = [{ $currentOp: { idleCursors: true } }, { $match: originating }];
          expect(await admin.aggregate(operations).toArray()).toHaveLength(1);
        });
        await session.commitTransaction();
        // By somebody who knows of the first one.
        await quiet.events.insertOne(eventOf(tenant, 'lead.updated'), majority);
        await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
        await relayed;
        while ((await relay.relay()).hasDone);
      });
      const types = (await quiet.readAll(tenant)).map(({ type }) => type);
      expect(types).toEqual(['lead.created', 'lead.updated']);
    } finally {
      await quiet.stop();
    }
  });

  it('go on behind those that others have, and hold up no other organization', async () => {
    const [restored, other] = [await feed.addReader(), await feed.addReader()];
    await feed.addOldEvents(restored, 3);
    await feed.numbered(restored, 3);
    // As a restore leaves it that is not of one moment.
    const { organizationId } = restored;
    await feed.feeds.updateOne({ organizationId }, { $set: { last: 1 } });
    await feed.addOldEvents(restored, 1);
    await feed.addOldEvents(other, 1);
    await feed.numbered(other, 1);
    await feed.numbered(restored, 4);
    const all = await feed.readAll(restored);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('have times of their own organization, also where another was numbered with a wrong clock', async () => {
    const [ahead, other] = [await feed.addReader(), await feed.addReader()];
    await feed.addOldEvents(ahead, 1);
    await feed.numbered(ahead, 1);
    const future = new Date(Date.now() + 365 * 86_400_000);
    const { organizationId } = ahead;
    await feed.feeds.updateOne({ organizationId }, { $set: { numberedAt: future } });
    const [quiet] = [await feed.startOther()];
    await feed.addOldEvents(ahead, 1);
    await feed.addOldEvents(other, 1);
    await quiet.service.app.get(WebhookRelay).relay();
    await feed.numbered(ahead, 2);
    await feed.numbered(other, 1);
    const timeOf = async (tenant: Tenant, sequence: number) => {
      const event = { organizationId: tenant.organizationId, sequence };
      return (await feed.events.findOne(event))?.['numberedAt'];
    };
    expect(await timeOf(ahead, 2)).toEqual(future);
    expect((await timeOf(other, 1)).getTime()).toBeLessThan(Date.now() + 60_000);
  });

  it.each(['findMany', 'plan'] as const)(
    'are not given again to what another process has numbered before %s',
    async (step) => {
      const tenant = await feed.addReader();
      await feed.addOldEvents(tenant, 1);
      await feed.numbered(tenant, 1);
      const other = await feed.startOther();
      let hasMet = false;
      let count = 1;
      before(other.service.app.get(EventFeedsRepository), step, async () => {
        hasMet = true;
        // One more than what the other process has read.
        await feed.addOldEvents(tenant, 1);
        count += 1;
        await feed.service.service.app.get(WebhookRelay).relay();
      });
      // The service may be the first to read them.
      while (!hasMet) {
        await feed.addOldEvents(tenant, 3);
        count += 3;
        await other.service.app.get(WebhookRelay).relay();
      }
      await feed.addOldEvents(tenant, 1);
      await feed.numbered(tenant, count + 1);
      const all = await feed.readAll(tenant, { limit: 1000 });
      expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
      expect(all).toHaveLength(count + 1);
    },
  );
});

describe('the commands of the feed', () => {
  it('stay on one index and read no more than they show, wherever the page is', async () => {
    const tenant = await feed.addReader();
    await feed.addOldEvents(tenant, 400);
    await feed.addOldEvents(tenant, 100, { type: 'unit.updated' });
    await feed.numbered(tenant, 500);
    const profile = feed.service.db.collection('system.profile');
    const examined = async (parameters: Document) => {
      await feed.service.db.command({ profile: 2 });
      await feed.read(tenant, parameters).expect(200);
      await feed.service.db.command({ profile: 0 });
      const ns = `${feed.service.db.databaseName}.outboxEvents`;
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

describe('a page of the feed', () => {
  it('is of one moment: never without events that it says it has looked at', async () => {
    const tenant = await feed.addReader();
    await feed.addOldEvents(tenant, 3);
    await feed.numbered(tenant, 3);
    const feeds = feed.service.service.app.get(EventFeedsRepository);
    const find = feeds.find.bind(feeds);
    feeds.find = async (organizationId) => {
      const found = await find(organizationId);
      // As a primary shows it that was elected now, and does not know yet that a majority has the event.
      await feed.events.updateOne({ organizationId, sequence: 3 }, { $unset: { sequence: 1 } });
      return found;
    };
    try {
      const { body } = await feed.read(tenant).expect(200);
      expect([body.data.length, body.next]).toEqual([3, 3]);
    } finally {
      feeds.find = find;
      await feed.events.deleteMany({ organizationId: tenant.organizationId });
    }
  });
});

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
