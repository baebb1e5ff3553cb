import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../src/core/configuration/clock.js';
import { DeliveryQueueRepository } from '../../src/webhooks/deliveries/delivery-queue.repository.js';
import { WebhookDeliveriesService } from '../../src/webhooks/deliveries/webhook-deliveries.service.js';
import { type Session, startSession } from '../operator/command-line.js';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import {
  startWebhookService,
  type TestEndpoint,
  toLoopback,
  type WebhookService,
} from './webhook-service.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let service: WebhookService;
let session: Session;
let tenant: Tenant;
let receiver: Receiver;
let endpoint: TestEndpoint;

beforeAll(async () => {
  service = await startWebhookService();
  session = startSession({ MONGODB_URI: service.databaseUri, ...toLoopback });
  receiver = await startReceiver();
});
beforeEach(async () => {
  tenant = await addTenant(service.db);
  endpoint = await service.subscribe(tenant, receiver.url);
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

/** Disables the endpoint as a worker does after a 410. */
async function turnOff(disabledReason: string): Promise<void> {
  await service.db
    .collection('webhookEndpoints')
    .updateOne({ _id: endpoint.id }, { $set: { isEnabled: false, disabledReason } });
}

const deliveries = () => service.db.collection('webhookDeliveries');
const givenUp = { status: 'failed', failureReason: 'endpoint disabled' };

/** Has one delivery that waits for its second attempt. */
async function waitForRetry(): Promise<void> {
  const headers = { 'retry-after': String(hour / 1_000) };
  receiver.respondWith((_received, response) => response.writeHead(500, headers).end());
  await service.createLead(tenant);
  await service.deliveryOf(endpoint, { status: 'pending', attempts: 1 });
  receiver.respondWith(204);
}

/** How many requests come when a lead is sent after the wait, what is due by then included. */
async function requestsWithNewLead(): Promise<number> {
  const before = receiver.received.length;
  await service.passTime(2 * hour);
  await service.createLead(tenant);
  await service.deliveryOf(endpoint, { status: 'delivered', attempts: 1 });
  return receiver.received.length - before;
}

/** Adds finished or waiting deliveries, one second apart, as the relay and the worker leave them. */
async function addDeliveries(count: number, fields: Document): Promise<void> {
  // Time may have been passed: what became due long ago is found by the scan once a minute only.
  const now = service.service.app.get(Clock).now().getTime();
  await deliveries().insertMany(
    Array.from({ length: count }, (_, index) => ({
      ...conventions(tenant.organizationId),
      endpointId: endpoint.id,
      eventId: new ObjectId(),
      type: 'lead.created',
      bytes: 100,
      round: 1,
      attempts: 10,
      nextAttemptAt: new Date(now),
      log: [],
      completedAt: fields['status'] === 'pending' ? null : new Date(now),
      ...fields,
      createdAt: new Date(now - count + index),
    })),
  );
}

describe('an endpoint that is enabled again', () => {
  it('gets no deliveries that failed when it was disabled', async () => {
    await waitForRetry();
    await session.json('webhook', 'disable', String(endpoint.id));
    await service.deliveryOf(endpoint, givenUp);
    await session.json('webhook', 'enable', String(endpoint.id));
    expect(await requestsWithNewLead()).toBe(1);
  });

  it('gets no deliveries that were pending when a worker disabled it', async () => {
    await waitForRetry();
    await turnOff('gone');
    await service.endpoints.enable(endpoint.id);
    expect(await requestsWithNewLead()).toBe(1);
  });

  it('keeps its pending deliveries when it was never disabled', async () => {
    await waitForRetry();
    await service.endpoints.enable(endpoint.id);
    await service.passTime(2 * hour);
    const delivered = await service.deliveryOf(endpoint, { attempts: 2 });
    expect(delivered).toMatchObject({ status: 'delivered' });
  });

  it('gets later events even while a worker fails its old deliveries', async () => {
    await waitForRetry();
    const queue = service.service.app.get(DeliveryQueueRepository);
    const failWaiting = queue.failWaiting.bind(queue);
    const { promise: enabled, resolve: enable } = Promise.withResolvers<void>();
    const { promise: isGivingUp, resolve: giveUp } = Promise.withResolvers<void>();
    queue.failWaiting = async (...parameters) => {
      giveUp();
      await enabled;
      return failWaiting(...parameters);
    };
    // Only now: the worker may look at the endpoint at once.
    await turnOff('gone');
    await service.passTime(2 * hour);
    await isGivingUp;
    queue.failWaiting = failWaiting;
    await service.endpoints.enable(endpoint.id);
    await service.createLead(tenant, 'later');
    await service.deliveryOf(endpoint, { status: 'pending', attempts: 0 });
    enable();
    await service.deliveryOf(endpoint, { status: 'delivered', attempts: 1 });
    expect(receiver.received).toHaveLength(2);
  });

  it.each([
    [500, givenUp],
    [204, { status: 'delivered', failureReason: null }],
  ])('gets no second attempt when the running attempt ends with %p', async (status, looks) => {
    const { response } = await duringAttempt();
    await service.endpoints.disable(endpoint.id);
    await service.endpoints.enable(endpoint.id);
    response.writeHead(status).end();
    receiver.respondWith(204);
    await service.deliveryOf(endpoint, { attempts: 1, ...looks });
    await service.passTime(minute);
    await service.createLead(tenant);
    await receiver.receivedRequests(2);
    expect(receiver.received).toHaveLength(2);
  });
});

/** Begins an attempt that ends when its response is sent. */
async function duringAttempt(): Promise<{ response: ServerResponse }> {
  const begun = new Promise<ServerResponse>((resolve) => {
    receiver.respondWith((_received, response) => resolve(response));
  });
  await service.createLead(tenant);
  return { response: await begun };
}

describe('a removed endpoint', () => {
  it('has no pending deliveries, and its deliveries can be listed', async () => {
    await waitForRetry();
    const id = String(endpoint.id);
    await session.json('webhook', 'remove', id);
    const failed = await session.json('webhook', 'deliveries', id);
    expect(failed).toMatchObject([{ status: 'failed', failureReason: 'endpoint removed' }]);
    const org = tenant.organizationId.toHexString();
    expect(await session.json('webhook', 'list', '--org', org)).toEqual([]);
    const stored = await service.db.collection('webhookEndpoints').findOne({ _id: endpoint.id });
    expect(stored).toMatchObject({ isEnabled: false, secrets: [], removedAt: expect.any(Date) });
    const calls = ['show', 'enable', 'remove', 'test', 'rotate-secret'].map((name) => [name, id]);
    for (const args of [...calls, ['replay', id, '--failed']]) {
      const { code, stderr } = await session.run('webhook', ...args);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        `There is no webhook endpoint with id ${id}.\n`,
      ]);
    }
  });
});

describe('an endpoint that another program has deleted', () => {
  it('has no pending deliveries once they are due', async () => {
    await waitForRetry();
    await service.db.collection('webhookEndpoints').deleteOne({ _id: endpoint.id });
    await service.passTime(2 * hour);
    const failed = await service.deliveryOf(endpoint, { status: 'failed' });
    expect(failed).toMatchObject({ failureReason: 'endpoint removed', attempts: 1 });
  });
});

describe('an interrupted ping', () => {
  it('is not sent by a worker', async () => {
    let answer: ServerResponse | undefined;
    receiver.respondWith((_received, response) => (answer = response));
    const ping = service.service.app.get(WebhookDeliveriesService).ping(endpoint.document);
    await receiver.receivedRequests(1);
    await service.deliveryOf(endpoint, { status: 'failed', failureReason: 'interrupted' });
    receiver.respondWith(204);
    await service.passTime(2 * minute);
    await service.createLead(tenant);
    await service.deliveryOf(endpoint, { type: 'lead.created', status: 'delivered' });
    expect(receiver.received).toHaveLength(2);
    answer?.writeHead(204).end();
    await ping;
    await service.deliveryOf(endpoint, {
      type: 'webhook.ping',
      status: 'delivered',
      failureReason: null,
    });
  });
});

describe('the backlog of a disabled endpoint', () => {
  it('is failed by the worker in batches of one thousand', async () => {
    await turnOff('gone');
    await service.db.command({ profile: 2 });
    // Not due before all of them are there: the worker would fail the first ones in a batch of their own.
    const nextAttemptAt = new Date(service.service.app.get(Clock).now().getTime() + hour);
    await addDeliveries(1_100, { status: 'pending', nextAttemptAt });
    await service.passTime(hour);
    await eventually(async () => {
      const failed = { endpointId: endpoint.id, ...givenUp };
      expect(await deliveries().countDocuments(failed)).toBe(1_100);
    });
    await service.db.command({ profile: 0 });
    expect(receiver.received).toEqual([]);
    const updates = service.db.collection('system.profile').find({ op: 'update' });
    const sizes = (await updates.toArray()).map(({ nModified }) => Number(nModified));
    expect(Math.max(...sizes)).toBe(1_000);
  });
});

describe('a list of deliveries', () => {
  beforeAll(async () => {
    await service.db.collection('system.profile').drop();
  });

  it('reads one index, and no more entries than it returns', async () => {
    await addDeliveries(300, { status: 'delivered' });
    await addDeliveries(5, { status: 'failed' });
    const list = service.service.app.get(WebhookDeliveriesService);
    const organizationId = new Types.ObjectId(tenant.organizationId.toHexString());
    const endpointId = endpoint.id;
    await service.db.command({ profile: 2 });
    const shown = [
      await list.listPage(organizationId, {}, { limit: 50 }),
      await list.listPage(organizationId, { endpointId }, { limit: 50 }),
      await list.listPage(organizationId, { endpointId, status: 'failed' }, { limit: 50 }),
    ];
    await service.db.command({ profile: 0 });
    expect(shown.map(({ items }) => items.length)).toEqual([50, 50, 5]);
    const reads = await service.db
      .collection('system.profile')
      .find({
        'command.find': 'webhookDeliveries',
        'command.filter.$and.0.organizationId': organizationId,
      })
      .toArray();
    expect(reads.map(({ docsExamined, hasSortStage }) => [docsExamined, hasSortStage])).toEqual([
      // One more tells whether there is a next page.
      [51, undefined],
      [51, undefined],
      [5, undefined],
    ]);
  });
});

describe('a replay', () => {
  const replay = (
    filter: { status?: 'failed'; since?: Date },
    progress?: (done: number, total: number) => void,
  ) => service.service.app.get(WebhookDeliveriesService).replay(document(), filter, progress);
  // No worker may get at the deliveries: what the test does stands for it.
  const document = () => ({ ...endpoint.document, _id: new Types.ObjectId(other.toHexString()) });
  let other: ObjectId;
  const ofOther = () => ({ endpointId: other });

  beforeEach(async () => {
    other = new ObjectId();
    await service.db
      .collection('webhookEndpoints')
      .insertOne({ ...endpoint.document, _id: other, isEnabled: true, pausedUntil: future() });
  });
  const future = () => new Date(Date.now() + 30 * day);

  it('continues after an interruption and sends nothing twice', async () => {
    await addDeliveries(1_100, { status: 'delivered', endpointId: other });
    const since = new Date(0);
    const seen: [number, number][] = [];
    const cut = replay({ since }, (done, total) => {
      seen.push([done, total]);
      throw new Error('cut short');
    });
    await expect(cut).rejects.toThrow('cut short');
    expect(seen).toEqual([[1_000, 1_100]]);
    // The worker has delivered them before the command is repeated.
    await deliveries().updateMany(
      { ...ofOther(), status: 'pending' },
      { $set: { status: 'delivered' } },
    );
    const repeated = await Promise.all([replay({ since }), replay({ since })]);
    expect(repeated.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(await deliveries().countDocuments({ ...ofOther(), round: 2 })).toBe(1_100);
    // It has come to its end: the next one is a new one.
    await deliveries().updateMany(ofOther(), { $set: { status: 'delivered' } });
    expect(await replay({ since })).toBe(1_100);
    expect(await deliveries().countDocuments({ ...ofOther(), round: 3 })).toBe(1_100);
  });

  it('of failed deliveries excludes all others', async () => {
    await addDeliveries(3, { status: 'failed', endpointId: other });
    await addDeliveries(2, { status: 'delivered', endpointId: other });
    expect(await replay({ status: 'failed' })).toBe(3);
    expect(await deliveries().countDocuments({ ...ofOther(), status: 'pending' })).toBe(3);
  });
});
