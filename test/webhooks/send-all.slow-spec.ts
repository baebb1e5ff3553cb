import { describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Document } from 'mongodb';
import { Clock } from '../../src/core/configuration/clock.js';
import { WebhookEndpointsRepository } from '../../src/webhooks/endpoints/webhook-endpoints.repository.js';
import { WebhookStatsService } from '../../src/webhooks/statistics/webhook-stats.service.js';
import { eventually } from '../support/eventually.js';
import { type AddedEndpoint, useWebhooks } from './webhook-service.js';
import { webhookIds } from './workers.js';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

const webhooks = useWebhooks();
const { addEndpoint, addDeliveries, createLead, collection } = webhooks;
const deliveries = () => webhooks.service.deliveries;
const now = () => webhooks.service.service.app.get(Clock).now().getTime();
/** The worker sends the body of a delivery whose event is not stored. */
const body = '{}';
const inAnHour = () => ({ status: 'pending', nextAttemptAt: new Date(now() + hour), body });
const pause = (endpoint: AddedEndpoint) =>
  endpoint.store({ pausedUntil: new Date(now() + 365 * 24 * hour) });
const documentOf = async ({ document: { _id } }: AddedEndpoint) => {
  const found = await webhooks.service.endpoints.find(_id);
  if (found === null) throw new Error('The endpoint was deleted.');
  return found;
};
const summaryOf = async (endpoint: AddedEndpoint) =>
  webhooks.service.service.app.get(WebhookStatsService).summaryOf(await documentOf(endpoint));
const sendAll = (endpoint: AddedEndpoint, progress?: (done: number, total: number) => void) =>
  deliveries().sendAll(endpoint.document, progress);
const progressSince = async (endpoint: AddedEndpoint, since: Date) =>
  deliveries().progressSince(await documentOf(endpoint), since);
const count = (endpoint: AddedEndpoint, filter: Document) =>
  collection('webhookDeliveries').countDocuments({ endpointId: endpoint.id, ...filter });
const waitForAll = (endpoint: AddedEndpoint, delivered: number) =>
  eventually(async () => expect(await count(endpoint, { status: 'delivered' })).toBe(delivered));

describe('sendAll', () => {
  it('sends everything that waits or has failed, and ends a pause', async () => {
    const endpoint = await addEndpoint();
    await pause(endpoint);
    await addDeliveries(endpoint.id, 3, { status: 'pending', body });
    await addDeliveries(endpoint.id, 4, inAnHour());
    await addDeliveries(endpoint.id, 2, { status: 'failed', failureReason: 'exhausted', body });
    await addDeliveries(endpoint.id, 5, { status: 'delivered', body });
    expect(await summaryOf(endpoint)).toMatchObject({ state: 'paused', waiting: 7, failed: 2 });
    const steps: string[] = [];
    const sent = await sendAll(endpoint, (done, total) => steps.push(`${done} of ${total}`));
    expect(sent).toEqual({ waiting: 7, failed: 2, since: expect.any(Date) });
    expect(steps).toEqual(['7 of 9', '9 of 9']);
    await waitForAll(endpoint, 14);
    expect(new Set(webhookIds(endpoint)).size).toBe(9);
    expect(endpoint.received).toHaveLength(9);
    const progress = { delivered: 9, failed: 0, waiting: 0 };
    expect(await progressSince(endpoint, sent.since)).toMatchObject(progress);
    await eventually(async () => {
      const state = { state: 'works', waiting: 0, failed: 0 };
      expect(await summaryOf(endpoint)).toMatchObject(state);
    });
    expect(await sendAll(endpoint)).toMatchObject({ waiting: 0, failed: 0 });
  });

  it('keeps the attempts of waiting deliveries and counts repeated failures', async () => {
    const endpoint = await addEndpoint(500);
    await addDeliveries(endpoint.id, 1, { ...inAnHour(), attempts: 9 });
    await addDeliveries(endpoint.id, 1, { status: 'failed', body });
    const { since } = await sendAll(endpoint);
    await endpoint.waitForDelivery({ status: 'failed', attempts: 10, round: 1 });
    await endpoint.waitForDelivery({ status: 'pending', attempts: 1, round: 2 });
    const progress = { delivered: 0, failed: 1, waiting: 0, retrying: 1 };
    expect(await progressSince(endpoint, since)).toMatchObject(progress);
  });

  it('neither counts nor sends failed test events', async () => {
    const endpoint = await addEndpoint();
    await addDeliveries(endpoint.id, 2, { type: 'webhook.ping', status: 'failed', body });
    await addDeliveries(endpoint.id, 1, { status: 'failed', body });
    expect(await summaryOf(endpoint)).toMatchObject({ failed: 1 });
    const query = { organizationId: endpoint.document.organizationId };
    const page = await webhooks.service.endpoints.listWithStats(query, { limit: 100 });
    const listed = page.items.find(({ _id }) => _id === endpoint.id.toHexString());
    expect(listed).toMatchObject({ failed: 1 });
    expect(await sendAll(endpoint)).toMatchObject({ failed: 1 });
    await waitForAll(endpoint, 1);
    expect(await count(endpoint, { status: 'failed', type: 'webhook.ping' })).toBe(2);
  });

  it('is refused for a disabled endpoint and changes nothing', async () => {
    const endpoint = await addEndpoint();
    await webhooks.service.endpoints.disable(endpoint.document._id);
    await addDeliveries(endpoint.id, 1, { status: 'failed', body });
    await expect(sendAll(endpoint)).rejects.toThrow(/is disabled: enable it first\.$/);
    expect(await count(endpoint, { status: 'failed' })).toBe(1);
  });

  it('leaves a running attempt, which still counts', async () => {
    const { promise: attempt, resolve } = Promise.withResolvers<ServerResponse>();
    const endpoint = await addEndpoint((_received, response) => resolve(response));
    await createLead();
    const response = await attempt;
    expect(await sendAll(endpoint)).toMatchObject({ waiting: 1, failed: 0 });
    endpoint.respondWith(204);
    response.writeHead(500).end();
    const { nextAttemptAt, log } = await endpoint.waitForDelivery({ attempts: 1, round: 1 });
    expect(nextAttemptAt - log[0].startedAt).toBeGreaterThan(3.9 * second);
    await sendAll(endpoint);
    await endpoint.waitForDelivery({ status: 'delivered', attempts: 2 });
    expect(endpoint.received).toHaveLength(2);
  });

  it('sends each delivery once when it runs twice at once while a worker sends', async () => {
    const endpoint = await addEndpoint();
    await addDeliveries(endpoint.id, 1_100, inAnHour());
    await addDeliveries(endpoint.id, 1_100, { status: 'failed', body });
    const [first, other] = await Promise.all([sendAll(endpoint), sendAll(endpoint)]);
    expect(first.since).toEqual(other.since);
    expect(first.waiting + other.waiting).toBe(1_100);
    expect(first.failed + other.failed).toBe(1_100);
    await waitForAll(endpoint, 2_200);
    expect(endpoint.received).toHaveLength(2_200);
    expect(new Set(webhookIds(endpoint)).size).toBe(2_200);
    const progress = { delivered: 2_200, failed: 0, waiting: 0 };
    expect(await progressSince(endpoint, first.since)).toMatchObject(progress);
  });

  it('continues after an interruption and sends nothing twice', async () => {
    const endpoint = await addEndpoint();
    await addDeliveries(endpoint.id, 1_100, inAnHour());
    const begunAt = new Date(now());
    const interrupted = sendAll(endpoint, (done, total) => {
      throw new Error(`interrupted at ${done} of ${total}`);
    });
    await expect(interrupted).rejects.toThrow('interrupted at 1000 of 1100');
    await waitForAll(endpoint, 1_000);
    const later = new Date(now() + minute);
    expect(await progressSince(endpoint, later)).toMatchObject({ delivered: 1_000 });
    const { waiting, since } = await sendAll(endpoint);
    expect([waiting, since.getTime() - begunAt.getTime() < second]).toEqual([100, true]);
    await waitForAll(endpoint, 1_100);
    expect(endpoint.received).toHaveLength(1_100);
    expect(await progressSince(endpoint, since)).toMatchObject({ delivered: 1_100 });
  });

  it('starts a new run ten minutes after an interruption', async () => {
    const endpoint = await addEndpoint();
    const { _id } = endpoint.document;
    const old = new Date(now() - 10 * minute);
    const repository = webhooks.service.service.app.get(WebhookEndpointsRepository);
    await repository.beginReplay(_id, 'everything', old, old);
    await addDeliveries(endpoint.id, 1, { status: 'failed', replayRun: old, body });
    expect(await progressSince(endpoint, new Date(now()))).toMatchObject({ failed: 0 });
    expect(await sendAll(endpoint)).toMatchObject({ failed: 1 });
    await waitForAll(endpoint, 1);
  });
});
