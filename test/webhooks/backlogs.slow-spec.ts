import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../src/core/configuration/clock.js';
import { WebhookDeliveriesRepository } from '../../src/webhooks/deliveries/webhook-deliveries.repository.js';
import { WebhookWorker } from '../../src/webhooks/sending/webhook-worker.js';
import { startSession } from '../operator/command-line.js';
import { profileCommands, excessiveKeyReads, wastefulCommands } from '../support/command-plans.js';
import { eventually } from '../support/eventually.js';
import { startTestService } from '../support/test-service.js';
import { type AddedEndpoint, allowLoopback, useWebhooks } from './webhook-service.js';

const minute = 60_000;
const hour = 60 * minute;
const givenUp = { status: 'failed', failureReason: 'endpoint disabled' };
/** The state in which a worker leaves an endpoint after a 410. */
const disabledByWorker = { isEnabled: false, disabledReason: 'gone' };

const webhooks = useWebhooks();
const { addEndpoint, addDeliveries, createLead, passTime, collection } = webhooks;
const deliveries = () => collection('webhookDeliveries');
const operator = startSession(() => ({
  MONGODB_URI: webhooks.service.databaseUri,
  ...allowLoopback,
}));

/** Adds an endpoint whose only delivery is waiting for its second attempt. */
async function addEndpointWithRetry(): Promise<AddedEndpoint> {
  const headers = { 'retry-after': String(hour / 1_000) };
  const endpoint = await addEndpoint((_received, response) =>
    response.writeHead(500, headers).end(),
  );
  await createLead();
  await endpoint.waitForDelivery({ status: 'pending', attempts: 1 });
  endpoint.respondWith(204);
  return endpoint;
}

describe('an endpoint that is enabled again', () => {
  it.each([
    [
      'the operator',
      async (endpoint: AddedEndpoint) => {
        await operator.json('webhook', 'disable', String(endpoint.id));
        await endpoint.waitForDelivery(givenUp);
      },
    ],
    ['a worker', (endpoint: AddedEndpoint) => endpoint.store(disabledByWorker)],
  ])('gets no deliveries that were pending when %s disabled it', async (_title, disable) => {
    const endpoint = await addEndpointWithRetry();
    await disable(endpoint);
    await operator.json('webhook', 'enable', String(endpoint.id));
    await endpoint.waitForDelivery(givenUp);
    await passTime(2 * hour);
    await createLead();
    await endpoint.waitForDelivery({ status: 'delivered', attempts: 1 });
    expect(endpoint.received).toHaveLength(2);
  });

  it('keeps its pending deliveries when it was never disabled', async () => {
    const endpoint = await addEndpointWithRetry();
    await webhooks.service.endpoints.enable(endpoint.id);
    await passTime(2 * hour);
    expect(await endpoint.waitForDelivery({ attempts: 2 })).toMatchObject({ status: 'delivered' });
  });

  it('gets later events even while a worker fails its old deliveries', async () => {
    const endpoint = await addEndpointWithRetry();
    const queue = webhooks.service.service.app.get(WebhookDeliveriesRepository);
    const failWaiting = queue.failPendingBatch.bind(queue);
    const { promise: enabled, resolve: enable } = Promise.withResolvers<void>();
    const { promise: isGivingUp, resolve: giveUp } = Promise.withResolvers<void>();
    queue.failPendingBatch = async (...parameters) => {
      giveUp();
      await enabled;
      return failWaiting(...parameters);
    };
    // The endpoint is disabled only now, because the worker may check it at any time.
    await endpoint.store(disabledByWorker);
    await passTime(2 * hour);
    await isGivingUp;
    queue.failPendingBatch = failWaiting;
    await webhooks.service.endpoints.enable(endpoint.id);
    await createLead();
    await endpoint.waitForDelivery({ status: 'pending', attempts: 0 });
    enable();
    await endpoint.waitForDelivery({ status: 'delivered', attempts: 1 });
    expect(endpoint.received).toHaveLength(2);
  });

  it.each([
    [500, givenUp],
    [204, { status: 'delivered', failureReason: null }],
  ])('gets no second attempt when the running attempt ends with %p', async (status, fields) => {
    const { promise: attempt, resolve } = Promise.withResolvers<ServerResponse>();
    const endpoint = await addEndpoint((_received, response) => resolve(response));
    await createLead();
    const response = await attempt;
    await webhooks.service.endpoints.disable(endpoint.id);
    await webhooks.service.endpoints.enable(endpoint.id);
    response.writeHead(status).end();
    endpoint.respondWith(204);
    await endpoint.waitForDelivery({ attempts: 1, ...fields });
    await passTime(minute);
    await createLead();
    expect(await endpoint.receivedRequests(2)).toHaveLength(2);
  });
});

describe('pending deliveries', () => {
  it('fail when their endpoint is removed, and can still be listed', async () => {
    const endpoint = await addEndpointWithRetry();
    const id = String(endpoint.id);
    await operator.json('webhook', 'remove', id);
    const failed = await operator.json('webhook', 'deliveries', id);
    expect(failed).toMatchObject([{ status: 'failed', failureReason: 'endpoint removed' }]);
    const org = webhooks.tenant.organizationId.toHexString();
    expect(await operator.json('webhook', 'list', '--org', org)).toEqual([]);
    const removed = { isEnabled: false, secrets: [], removedAt: expect.any(Date) };
    expect(await endpoint.stored()).toMatchObject(removed);
    for (const name of ['show', 'enable', 'remove', 'test', 'rotate-secret', 'replay --failed']) {
      const { code, stderr } = await operator.run(`webhook ${name}`, id);
      const message = expect.stringContaining(`There is no webhook endpoint with id ${id}: `);
      expect([name, code, stderr]).toEqual([name, 1, message]);
    }
  });

  it('fail when they are due and another program has deleted their endpoint', async () => {
    const endpoint = await addEndpointWithRetry();
    await collection('webhookEndpoints').deleteOne({ _id: endpoint.id });
    await passTime(2 * hour);
    const failed = await endpoint.waitForDelivery({ status: 'failed' });
    expect(failed).toMatchObject({ failureReason: 'endpoint removed', attempts: 1 });
  });

  it('fail in batches of one thousand when their endpoint is disabled', async () => {
    const endpoint = await addEndpoint();
    await endpoint.store(disabledByWorker);
    const { db } = webhooks.service;
    await db.command({ profile: 2 });
    // They become due later, because the worker would fail the first ones in a batch of their own.
    const nextAttemptAt = new Date(webhooks.service.service.app.get(Clock).now().getTime() + hour);
    await addDeliveries(endpoint.id, 1_100, { status: 'pending', nextAttemptAt });
    await passTime(hour);
    await eventually(async () => {
      const failed = { endpointId: endpoint.id, ...givenUp };
      expect(await deliveries().countDocuments(failed)).toBe(1_100);
    });
    await db.command({ profile: 0 });
    expect(endpoint.received).toEqual([]);
    const updates = await collection('system.profile').find({ op: 'update' }).toArray();
    expect(Math.max(...updates.map(({ nModified }) => Number(nModified)))).toBe(1_000);
  });

  it('cost one query per search while their endpoint is paused', async () => {
    const endpoint = await addEndpoint();
    await endpoint.store({ pausedUntil: new Date(Date.now() + 365 * 24 * hour) });
    await addDeliveries(endpoint.id, 3, { status: 'pending' });
    // The worker of this service runs only when the test calls it.
    const service = await startTestService({ ROLE: 'api' }, webhooks.service.databaseUri);
    webhooks.stopAfterTest(() => service.stop());
    const worker = service.service.app.get(WebhookWorker);
    await worker.deliverDue();
    const queries: string[] = [];
    service.tenantCommands.onCommand(({ name, collection: queried }) => {
      if (queried === 'webhookDeliveries') queries.push(name);
    });
    for (let turn = 0; turn < 4; turn++) await worker.deliverDue();
    expect(queries).toHaveLength(4);
    await endpoint.store({ pausedUntil: null });
    await worker.deliverDue();
    const failed = { endpointId: endpoint.id, failureReason: 'event expired' };
    await eventually(async () => expect(await deliveries().countDocuments(failed)).toBe(3));
  });

  it('do not slow down the search for due deliveries', async () => {
    const status = 'pending';
    const nextAttemptAt = new Date(Date.now() + 365 * 24 * hour);
    for (let endpoint = 0; endpoint < 20; endpoint++) {
      await addDeliveries(new ObjectId(), 100, { status, nextAttemptAt });
    }
    const worker = webhooks.service.service.app.get(WebhookWorker);
    const commands = await profileCommands(webhooks.service.db, () => worker.deliverDue());
    expect([wastefulCommands(commands), excessiveKeyReads(commands)]).toEqual([[], []]);
    await deliveries().deleteMany({ nextAttemptAt });
  });
});

describe('an interrupted ping', () => {
  it('is not sent again by a worker', async () => {
    const { promise: attempt, resolve } = Promise.withResolvers<ServerResponse>();
    const endpoint = await addEndpoint((_received, response) => resolve(response));
    const ping = webhooks.service.deliveries.ping(endpoint.document);
    const response = await attempt;
    await endpoint.waitForDelivery({ status: 'failed', failureReason: 'interrupted' });
    endpoint.respondWith(204);
    await passTime(2 * minute);
    await createLead();
    await endpoint.waitForDelivery({ type: 'lead.created', status: 'delivered' });
    expect(endpoint.received).toHaveLength(2);
    response.writeHead(204).end();
    await ping;
    const type = 'webhook.ping';
    await endpoint.waitForDelivery({ type, status: 'delivered', failureReason: null });
  });
});

describe('a list of deliveries', () => {
  it('examines no more index entries than it returns', async () => {
    const endpointId = new Types.ObjectId();
    await addDeliveries(endpointId, 300, { status: 'delivered' });
    await addDeliveries(endpointId, 5, { status: 'failed' });
    const organizationId = new Types.ObjectId(webhooks.tenant.organizationId.toHexString());
    const commands = await profileCommands(webhooks.service.db, async () => {
      for (const filter of [{}, { endpointId }, { endpointId, status: 'failed' as const }]) {
        await webhooks.service.deliveries.listPage(organizationId, filter, { limit: 50 });
      }
    });
    expect([wastefulCommands(commands), excessiveKeyReads(commands)]).toEqual([[], []]);
  });
});

describe('a replay', () => {
  let endpoint: AddedEndpoint;
  beforeEach(async () => {
    endpoint = await addEndpoint();
    // The pause keeps the worker away from the deliveries. The tests change them in its place.
    await endpoint.store({ pausedUntil: new Date(Date.now() + 365 * 24 * hour) });
  });
  const count = (filter: Document) =>
    deliveries().countDocuments({ endpointId: endpoint.id, ...filter });
  const markDelivered = () =>
    deliveries().updateMany({ endpointId: endpoint.id }, { $set: { status: 'delivered' } });

  it('continues after an interruption and sends nothing twice', async () => {
    await addDeliveries(endpoint.id, 1_100, { status: 'delivered' });
    const since = new Date(0);
    const replay = (progress?: (done: number, total: number) => void) =>
      webhooks.service.deliveries.replay(endpoint.document, { since }, progress);
    const interrupted = replay((done, total) => {
      throw new Error(`interrupted at ${done} of ${total}`);
    });
    await expect(interrupted).rejects.toThrow('interrupted at 1000 of 1100');
    // The worker delivers them before the command runs again.
    await markDelivered();
    const [first, second] = await Promise.all([replay(), replay()]);
    expect(first + second).toBe(100);
    expect(await count({ round: 2 })).toBe(1_100);
    // After a completed replay the same command starts a new one.
    await markDelivered();
    expect(await replay()).toBe(1_100);
    expect(await count({ round: 3 })).toBe(1_100);
  });

  it('includes only failed deliveries when requested', async () => {
    await addDeliveries(endpoint.id, 3, { status: 'failed' });
    await addDeliveries(endpoint.id, 2, { status: 'delivered' });
    const { deliveries: service } = webhooks.service;
    expect(await service.replay(endpoint.document, { status: 'failed' })).toBe(3);
    expect(await count({ status: 'pending' })).toBe(3);
  });
});
