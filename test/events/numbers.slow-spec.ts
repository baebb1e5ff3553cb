import { describe, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import { EventFeedsRepository } from '../../src/events/outbox/event-feeds.repository.js';
import { EventRelay } from '../../src/events/outbox/event-relay.js';
import { Outbox } from '../../src/events/outbox/outbox.js';
import { startSession } from '../operator/command-line.js';
import { profileCommands, wastefulCommands } from '../support/command-plans.js';
import type { AddedEndpoint } from '../webhooks/webhook-service.js';
import { sequencesOf, useFeed } from './feed-service.js';

const feed = useFeed();
const { addReader, startInstance, collection } = feed;

describe('the relay', () => {
  it('numbers events in storage order even when the clocks of instances differ', async () => {
    const reader = await addReader();
    const otherInstance = await startInstance();
    // The instance whose clock is ahead stores its event first.
    await feed.passTime(5_000);
    await reader.postLead({ data: { step: 1 } });
    await reader.postLead({ data: { step: 2 } }, otherInstance).expect(200);
    await feed.passTime(-5_000);
    await reader.waitForNumber(2);
    const types = (await reader.readAll()).map(({ type }) => type);
    expect(types).toEqual(['lead.created', 'lead.updated']);
  });

  it('assigns each number once when two processes number concurrently', async () => {
    const reader = await addReader();
    const services = [feed.service, await startInstance()];
    const relays = services.map(({ service: { app } }) => app.get(EventRelay));
    const count = 400;
    const stored = reader.store(count);
    for (let round = 0; round < 20; round++) {
      await Promise.all(relays.map((relay) => relay.relayNext()));
    }
    const events = await stored;
    await reader.waitForNumber(count);
    const all = await reader.readAll({ limit: 1000 });
    expect(sequencesOf(all)).toEqual(events.map((_, index) => index + 1));
    // The numbers follow the storage order, not the ids.
    expect(all.map(({ id }) => id)).toEqual(events.map(({ _id }) => `msg_${_id.toHexString()}`));
  });

  it('skips no event of a transaction that commits late', async () => {
    const reader = await addReader();
    const organizationId = new Types.ObjectId(reader.organizationId.toHexString());
    const instances = [feed.service, await startInstance({ ROLE: 'all' })];
    const early = await feed.addEndpoint(204, { owner: reader });
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const stored: Promise<unknown>[] = [];
    const committed = instances.map(({ service: { app } }, index) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stored.push(promise);
      return app.get(Transactions).run(async () => {
        const event = { type: 'lead.created', data: { _id: `late ${index}` } } as const;
        await app.get(Outbox).publish(organizationId, [event], new Date());
        resolve();
        await mayCommit;
      });
    });
    await Promise.all(stored);
    // These events are stored later but numbered first, because the other two are not committed yet.
    for (const instance of instances) await instance.createLead(reader);
    await reader.waitForNumber(2);
    const late = await feed.addEndpoint(204, { owner: reader });
    commit();
    await Promise.all(committed);
    await reader.waitForNumber(4);
    const all = await reader.readAll();
    expect(sequencesOf(all)).toEqual([1, 2, 3, 4]);
    expect(all.slice(2).map(({ data }) => data._id)).toEqual(
      expect.arrayContaining(['late 0', 'late 1']),
    );
    const ids = all.map(({ id }) => id);
    const receivedIds = async (endpoint: AddedEndpoint, count: number) =>
      (await endpoint.receivedRequests(count))
        .map(({ headers }) => headers['webhook-id'])
        .toSorted();
    expect(await receivedIds(early, 4)).toEqual(ids.toSorted());
    // The late endpoint was added before the commit, so it gets the late events, too.
    expect(await receivedIds(late, 2)).toEqual(ids.slice(2).toSorted());
  });

  it('continues after the highest number when a restore has reset the feed', async () => {
    const [restored, other] = [await addReader(), await addReader()];
    await restored.publish(3);
    // A restore without a consistent snapshot resets the feed but not the events.
    const { organizationId } = restored;
    await collection('eventFeeds').updateOne({ organizationId }, { $set: { last: 1 } });
    await Promise.all([restored.publish(1), other.publish(1)]);
    expect(sequencesOf(await restored.readAll())).toEqual([1, 2, 3, 4]);
  });

  it('keeps times ascending in an organization when the clock of one process is ahead', async () => {
    const [ahead, other] = [await addReader(), await addReader()];
    await ahead.publish(1);
    const numberedAt = new Date(Date.now() + 365 * 86_400_000);
    const { organizationId } = ahead;
    await collection('eventFeeds').updateOne({ organizationId }, { $set: { numberedAt } });
    await Promise.all([ahead.publish(1), other.publish(1)]);
    const events = collection('outboxEvents');
    expect(await events.findOne({ organizationId, sequence: 2 })).toMatchObject({ numberedAt });
    const otherEvent = await events.findOne({ organizationId: other.organizationId });
    expect(otherEvent?.['numberedAt'].getTime()).toBeLessThan(Date.now() + 60_000);
  });

  it('skips an event whose deliveries cannot be created, stores the reason, and numbers the others', async () => {
    const reader = await addReader();
    const { organizationId } = reader;
    await feed.service.subscribe(reader, 'http://127.0.0.1:1/');
    await reader.publish(4);
    const [broken] = await reader.publish(1, { type: 5 });
    await reader.publish(4);
    const events = collection('outboxEvents').find({ organizationId }).sort({ sequence: 1 });
    const all = await events.toArray();
    expect(sequencesOf(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const failed = all.filter(({ failureReason }) => failureReason !== undefined);
    expect(failed).toMatchObject([{ sequence: 5, type: 5, failureReason: expect.any(String) }]);
    expect(await collection('webhookDeliveries').countDocuments({ organizationId })).toBe(8);
    expect(feed.service.logged()).toContain('Could not create the deliveries of an event');
    const session = startSession({ MONGODB_URI: feed.service.databaseUri });
    const org = organizationId.toHexString();
    expect(await session.json('webhook', 'events', '--org', org, '--failed')).toMatchObject([
      { _id: String(broken?._id), relayedAt: expect.any(String) },
    ]);
  });
});

describe('a page of the feed', () => {
  it('examines no more index entries than it returns, from any position', async () => {
    const reader = await addReader();
    await reader.publish(900);
    const commands = await profileCommands(feed.service.db, async () => {
      for (const after of [0, 450, 800]) await reader.read({ after, limit: 50 }).expect(200);
    });
    expect(wastefulCommands(commands)).toEqual([]);
  });

  it('contains every event up to its next number during a failover', async () => {
    const reader = await addReader();
    await reader.publish(3);
    const { organizationId } = reader;
    const feeds = feed.service.service.app.get(EventFeedsRepository);
    const lastNumber = feeds.lastNumber.bind(feeds);
    const lastNumberSpy = jest.spyOn(feeds, 'lastNumber').mockImplementation(async (id) => {
      const found = await lastNumber(id);
      // Just after a failover, the new primary may not know that a majority has the event.
      const event = { organizationId, sequence: 3 };
      await collection('outboxEvents').updateOne(event, { $unset: { sequence: 1 } });
      return found;
    });
    const { body } = await reader.read();
    lastNumberSpy.mockRestore();
    await collection('outboxEvents').deleteMany({ organizationId });
    expect([sequencesOf(body.data), body.next]).toEqual([[1, 2, 3], 3]);
  });
});
