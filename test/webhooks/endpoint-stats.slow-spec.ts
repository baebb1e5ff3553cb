import { describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../src/core/configuration/clock.js';
import { WebhookStatsService } from '../../src/webhooks/statistics/webhook-stats.service.js';
import { addTenant, conventions } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type AddedEndpoint, useWebhooks } from './webhook-service.js';

const [minute, hour] = [60_000, 3_600_000];
const day = 24 * hour;
const quarter = 15 * minute;

const webhooks = useWebhooks();
const { addEndpoint, addDeliveries, addCounts, createLead, collection } = webhooks;
const endpoints = () => webhooks.service.endpoints;
const statistics = () => webhooks.service.service.app.get(WebhookStatsService);
const now = () => webhooks.service.service.app.get(Clock).now().getTime();
const ownOrganization = () => new Types.ObjectId(webhooks.tenant.organizationId.toHexString());
const viewOf = async ({ document }: AddedEndpoint) =>
  (await endpoints().inspect(document._id))?.shown;
const documentOf = async ({ document: { _id } }: AddedEndpoint) => {
  const found = await endpoints().find(_id);
  if (found === null) throw new Error('The endpoint was deleted.');
  return found;
};
const summaryOf = async (endpoint: AddedEndpoint) =>
  statistics().summaryOf(await documentOf(endpoint));

describe('the last failure of an endpoint', () => {
  it('shows the masked start of an error response, and remains after a success', async () => {
    const text = { error: 'mona@example.com: unit 12 is unknown' };
    const endpoint = await addEndpoint((_received, response) => {
      const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
      response.writeHead(422, headers).end(JSON.stringify(text));
    });
    await createLead();
    const { _id, log } = await endpoint.waitForDelivery({ attempts: 1 });
    expect(log).toMatchObject([
      { contentType: 'application/json', response: JSON.stringify(text) },
    ]);
    const lastFailure = {
      at: log[0].startedAt,
      statusCode: 422,
      error: null,
      attempt: 1,
      excerpt: '{"error":"•••@••• unit •• is unknown"}',
      deliveryId: String(_id),
    };
    await eventually(async () => {
      const failing = { failingSince: expect.any(Date), failedAttempts: 1, lastSuccessAt: null };
      expect(await viewOf(endpoint)).toMatchObject({ ...failing, lastFailure });
    });
    expect(await statistics().failingEndpoints(10)).toMatchObject([
      { _id: String(endpoint.id), state: 'failing', failedAttempts: 1, lastFailure },
    ]);
    endpoint.respondWith(204);
    await createLead();
    await eventually(async () => {
      const works = { failingSince: null, failedAttempts: 0, lastSuccessAt: expect.any(Date) };
      expect(await viewOf(endpoint)).toMatchObject({ ...works, lastFailure });
    });
  });

  it('has the reason when there is no response', async () => {
    const endpoint = await addEndpoint((_received, response) => response.destroy());
    await createLead();
    await eventually(async () => {
      const lastFailure = { statusCode: null, error: expect.stringMatching(/./), excerpt: null };
      expect(await viewOf(endpoint)).toMatchObject({ lastFailure });
    });
    const [attempt] = (await endpoint.waitForDelivery({ attempts: 1 }))['log'];
    expect(attempt).toMatchObject({ contentType: null, response: null });
  });

  const refuse = (response: ServerResponse) =>
    response.writeHead(500, { 'content-type': 'text/plain' }).end('Mona is unknown');
  const eraseResponses = async ({ objectId }: Document) => {
    const ids = [String(objectId)];
    const parts = webhooks.service.deliveries.eraseResponses(ownOrganization(), ids);
    for await (const { write } of parts) await write();
  };

  it('loses its excerpt when the data of its delivery is erased', async () => {
    const endpoint = await addEndpoint((_received, response) => refuse(response));
    await createLead();
    const delivery = await endpoint.waitForDelivery({ attempts: 1 });
    await eventually(async () => {
      expect(await viewOf(endpoint)).toMatchObject({ lastFailure: { excerpt: 'Mona is unknown' } });
    });
    await eraseResponses({ objectId: 'another' });
    expect(await viewOf(endpoint)).toMatchObject({ lastFailure: { excerpt: 'Mona is unknown' } });
    await eraseResponses(delivery);
    expect(await viewOf(endpoint)).toMatchObject({
      lastFailure: { statusCode: 500, excerpt: null },
    });
  });

  it('has no excerpt when the data of its delivery is erased during the attempt', async () => {
    const { promise: attempt, resolve } = Promise.withResolvers<ServerResponse>();
    const endpoint = await addEndpoint((_received, response) => resolve(response));
    await createLead();
    const response = await attempt;
    await eraseResponses(await endpoint.waitForDelivery({ attempts: 0 }));
    refuse(response);
    await endpoint.waitForDelivery({ attempts: 1 });
    await eventually(async () => {
      expect(await endpoint.stored()).toMatchObject({ leaseOwner: null });
      expect(await viewOf(endpoint)).toMatchObject({
        lastFailure: { statusCode: 500, excerpt: null },
      });
    });
  });
});

describe('the list of endpoints', () => {
  it('has attempts of a day and counts of deliveries that agree with their lists', async () => {
    const stranger = await addTenant(webhooks.service.db);
    const [endpoint, foreign] = [await addEndpoint(), await addEndpoint(204, { owner: stranger })];
    await endpoint.store({ pausedUntil: new Date(now() + day) });
    await addDeliveries(endpoint.id, 3, { status: 'pending' });
    await addDeliveries(endpoint.id, 2, { status: 'failed' });
    await addDeliveries(endpoint.id, 4, { status: 'delivered' });
    await addCounts(endpoint.id, [
      [0, 5, 1],
      [95, 2, 3],
      [98, 100, 100],
    ]);
    await addCounts(foreign.id, [[1, 7, 0]], stranger);
    const { items, next } = await endpoints().listWithStats();
    const counts = { waiting: 3, hasMoreWaiting: false, failed: 2, hasMoreFailed: false };
    expect(items).toMatchObject([
      { _id: String(foreign.id), state: 'unused', day: { delivered: 7, failed: 0 }, waiting: 0 },
      { _id: String(endpoint.id), state: 'paused', day: { delivered: 7, failed: 4 }, ...counts },
    ]);
    expect(next).toBeNull();
    expect(await summaryOf(endpoint)).toMatchObject({
      ...counts,
      delivered24h: 7,
      failed24h: 4,
      oldestWaitingAt: expect.any(Date),
      nextAttemptAt: (await endpoint.stored())?.['pausedUntil'],
    });
    for (const [status, count] of [
      ['pending', 3],
      ['failed', 2],
    ] as const) {
      const filter = { endpointId: endpoint.document._id, status };
      const found = await webhooks.service.deliveries.listPage(ownOrganization(), filter, {
        limit: 10,
      });
      expect(found.items).toHaveLength(count);
    }
    await collection('webhookDeliveries').deleteMany({ endpointId: endpoint.id });
  });

  it('can be filtered by organization, state and part of the URL, and paged', async () => {
    const stranger = await addTenant(webhooks.service.db);
    const [one, other, failing, disabled] = [
      await addEndpoint(204, { path: '/A.b' }),
      await addEndpoint(204, { path: '/axb', owner: stranger }),
      await addEndpoint(204, { path: '/failing' }),
      await addEndpoint(204, { path: '/disabled' }),
    ];
    await failing.store({ failingSince: new Date() });
    await endpoints().disable(disabled.document._id);
    const list = async (...parameters: Parameters<ReturnType<typeof endpoints>['listWithStats']>) =>
      (await endpoints().listWithStats(...parameters)).items.map(({ url }) => url);
    const own = { organizationId: ownOrganization() };
    const urls = ({ document }: AddedEndpoint) => document.url;
    expect(await list()).toEqual([disabled, failing, other, one].map(urls));
    expect(await list(own)).toEqual([disabled, failing, one].map(urls));
    expect(await list({ show: 'failing' })).toEqual([urls(failing)]);
    expect(await list({ show: 'disabled' })).toEqual([urls(disabled)]);
    expect(await list({ text: 'a.B' })).toEqual([urls(one)]);
    expect(await list({ text: '\0' })).toEqual([]);
    expect(await list({ ...own, text: 'x' })).toEqual([]);
    expect((await endpoints().searchByUrl('/hook/a', 10)).map(({ url }) => url)).toEqual(
      [other, one].map(urls),
    );
    expect(await endpoints().searchByUrl('/hook', 1)).toHaveLength(1);
    const { items, next } = await endpoints().listWithStats({}, { limit: 1 });
    expect([items.length, next === null]).toEqual([1, false]);
  });
});

describe('the series of attempts', () => {
  it('adds up quarters, hours or days of one or all endpoints', async () => {
    await collection('webhookStatistics').deleteMany({});
    const stranger = await addTenant(webhooks.service.db);
    const [endpoint, foreign] = [await addEndpoint(), await addEndpoint(204, { owner: stranger })];
    const midnight = Math.floor(now() / day) * day;
    const count = (id: ObjectId, at: number, delivered: number, organizationId: ObjectId) => ({
      ...conventions(organizationId),
      endpointId: id,
      at: new Date(at),
      delivered,
      failed: 1,
    });
    const own = webhooks.tenant.organizationId;
    await collection('webhookStatistics').insertMany([
      count(endpoint.id, midnight - day, 1, own),
      count(endpoint.id, midnight, 2, own),
      count(endpoint.id, midnight + quarter, 4, own),
      count(endpoint.id, midnight + hour, 8, own),
      count(foreign.id, midnight, 16, stranger.organizationId),
    ]);
    const since = new Date(midnight);
    const series = async (unit: 'quarter' | 'hour' | 'day', of?: AddedEndpoint) =>
      (await statistics().attemptSeries({ since, unit }, of?.document)).map(
        ({ at, delivered, failed }) => [at.getTime() - midnight, delivered, failed],
      );
    expect(await series('quarter', endpoint)).toEqual([
      [0, 2, 1],
      [quarter, 4, 1],
      [hour, 8, 1],
    ]);
    expect(await series('hour')).toEqual([
      [0, 22, 3],
      [hour, 8, 1],
    ]);
    expect(await series('day')).toEqual([[0, 30, 4]]);
  });
});
