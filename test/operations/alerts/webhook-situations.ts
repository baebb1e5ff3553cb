import { expect } from '@jest/globals';
import { Types } from 'mongoose';
import { WebhookEndpointsService } from '../../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookWorker } from '../../../src/webhooks/sending/webhook-worker.js';
import { type Tenant, addTenant } from '../../support/builders.js';
import { eventually } from '../../support/eventually.js';
import { type Respond, startReceiver } from '../../support/receiver.js';
import { randomDatabaseUri } from '../../support/test-service.js';
import { allowLoopback } from '../../webhooks/webhook-service.js';
import type { Situation } from './situation.js';
import { type ObservedService, startObserved, Timeline } from './timeline.js';

const worker = { ROLE: 'all', ...allowLoopback };

async function subscribe(service: ObservedService, { organizationId }: Tenant, respond: Respond) {
  const receiver = await startReceiver(respond);
  const endpoints = service.service.app.get(WebhookEndpointsService);
  const organization = new Types.ObjectId(organizationId.toHexString());
  const { endpoint } = await endpoints.add(organization, {
    url: receiver.url,
    eventTypes: ['lead.created'],
  });
  return { ...receiver, id: endpoint._id.toHexString(), _id: endpoint._id, endpoints };
}

const createLead = (service: ObservedService, { key }: Tenant) =>
  service.api('post', '/leads').set('api-key', key).send({ name: 'Mona' }).expect(201);

const waiting = { status: 'pending' };
const status =
  (code: number, headers: Record<string, string> = {}): Respond =>
  (_received, response) =>
    response.writeHead(code, headers).end();

/** Each endpoint but one misses a single event, so only the retries of the documented schedule follow. */
export async function failingEndpoints(): Promise<Situation> {
  const service = await startObserved(randomDatabaseUri(), worker);
  const timeline = new Timeline([service]);
  const deliver = () => timeline.deliver(service);
  const [tenant, busy] = [await addTenant(service.db), await addTenant(service.db)];
  const add = (respond: Respond, owner = tenant) => subscribe(service, owner, respond);
  const failing = await add(status(500));
  const unavailable = await add(status(503));
  const recovering = await add(status(500));
  const disabled = await add(status(500));
  const paused = await add(status(503, { 'retry-after': '7200' }));
  const gone = await add(status(410));
  let isFirst = true;
  const respondOnce: Respond = (received, response) => {
    status(isFirst ? 500 : 204)(received, response);
    isFirst = false;
  };
  const healthy = [await add(status(204), busy), await add(respondOnce, busy)];
  await timeline.pass(3, deliver);
  await createLead(service, tenant);
  await deliver();
  const attempt = async () => {
    await createLead(service, busy);
    await deliver();
  };
  await timeline.pass(5, attempt);
  recovering.respondWith(204);
  await disabled.endpoints.disable(disabled._id);
  await timeline.pass(85, attempt);
  // The schedule of rule HOOK-6 has six attempts in an hour and a half.
  expect([failing, unavailable].map(({ received }) => received.length)).toEqual([6, 6]);
  await service.stop();
  const all = [failing, unavailable, recovering, disabled, paused, gone, ...healthy];
  await Promise.all(all.map((receiver) => receiver.stop()));
  return {
    name: 'endpoints that fail and are retried as documented; others recover or end',
    recording: timeline.recording,
    since: 2,
    fires: [
      {
        alert: 'EndpointFailing',
        labels: { endpoint: failing.id },
        summary: /^Endpoint [0-9a-f]{24} has failed for 31m 0s$/,
      },
      {
        alert: 'EndpointFailing',
        labels: { endpoint: unavailable.id },
        summary: /^Endpoint [0-9a-f]{24} has failed for 31m 0s$/,
      },
      {
        alert: 'EndpointFailing',
        labels: { endpoint: paused.id },
        summary: /^Endpoint [0-9a-f]{24} has failed for 31m 0s$/,
      },
    ],
  };
}

/** The last process with a worker stops before it has sent a webhook, and an API process remains. */
export async function missingWorker(): Promise<Situation> {
  const databaseUri = randomDatabaseUri();
  const service = await startObserved(databaseUri, worker);
  const remaining = await startObserved(databaseUri);
  const timeline = new Timeline([remaining, service]);
  const tenant = await addTenant(service.db);
  const receiver = await subscribe(service, tenant, status(204));
  await timeline.pass(3, async () => {
    await createLead(service, tenant);
    await timeline.deliver(service);
  });
  await service.service.app.get(WebhookWorker).stop();
  await createLead(service, tenant);
  await eventually(async () => {
    expect(await service.db.collection('webhookDeliveries').countDocuments(waiting)).toBe(1);
  });
  await service.stop();
  timeline.remove(service);
  await createLead(remaining, tenant);
  await timeline.pass(25);
  await remaining.stop();
  await receiver.stop();
  return {
    name: 'no process delivers webhooks',
    recording: timeline.recording,
    since: 2,
    fires: [
      { alert: 'DeliveriesPilingUp', summary: /^A due webhook has waited 16m 0s for an attempt$/ },
      {
        alert: 'OutboxStuck',
        summary: /^An event has waited 7m 0s for its number and deliveries$/,
      },
    ],
  };
}
