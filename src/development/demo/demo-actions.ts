import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { objectOf } from '../../core/values/json.js';
import { EventHistoryService } from '../../events/outbox/event-history.service.js';
import { LeadLookupService } from '../../leads/lead-lookup.service.js';
import { ErasuresService } from '../../operator/erasure/erasures.service.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { WebhookDeliveriesService } from '../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { DeliveryBatches } from '../../webhooks/sending/delivery-batches.js';
import type { DemoClient, Print } from './demo-client.js';

export interface DemoRun {
  readonly app: INestApplicationContext;
  readonly organizationId: Types.ObjectId;
  readonly client: DemoClient;
  readonly print: Print;
}

const erasedLead = 'website-form-1';
const webhookLead = { recordSystemId: 'hook-1', data: { budget: 4_200_000 } };
const deliveryTimeoutMs = 10_000;

export const demoActions: Record<'eraseLead' | 'receiveWebhook', (run: DemoRun) => Promise<void>> =
  { eraseLead, receiveWebhook };

async function eraseLead({ app, organizationId, print }: DemoRun): Promise<void> {
  const erasures = app.get(ErasuresService);
  const organization = await app.get(OrganizationsRepository).find(organizationId);
  if (organization === null) throw new Error('The demo organization no longer exists.');
  const erase = async () => {
    const leads = await app.get(LeadLookupService).findByIds(organizationId, erasedLead);
    const leadIds = leads.map(({ _id }) => _id);
    const { counts } = await erasures.erase(organization, leadIds);
    return Object.entries(counts).filter(([, count]) => count > 0);
  };
  print('');
  print(`  lead erase --lead ${erasedLead}`);
  for (const [kind, count] of await erase()) print(`  ${kind.padEnd(20)} ${count}`);
  const left = await erase();
  if (left.length > 0) throw new Error(`The erasure did not remove: ${JSON.stringify(left)}`);
}

async function receiveWebhook({ app, client, organizationId, print }: DemoRun): Promise<void> {
  const endpoints = app.get(WebhookEndpointsService);
  const batches = app.get(DeliveryBatches);
  const receiver = await startReceiver();
  const { url } = receiver;
  const fields = { url, eventTypes: ['lead.created'] };
  // Numbering uses the subscriptions of its time, so the endpoint would receive earlier leads first.
  await untilFound(() => newestNumber(app, organizationId));
  const { endpoint, secret } = await endpoints.add(organizationId, fields);
  try {
    // Workers of other processes may not send to this machine, so the demo keeps the endpoint for itself.
    const leased = await untilFound(() => batches.lease(endpoint._id));
    await client.run({
      request: { method: 'POST', path: 'leads', as: 'website', body: webhookLead },
      expected: { status: 201, body: { ok: true, operation: 'create', lead: webhookLead } },
    });
    await untilFound(() => findDelivery(app, organizationId, endpoint._id));
    await batches.deliverLeased(leased, () => true);
    const { id, event } = verifiedDelivery(receiver.received, secret);
    print('');
    print(`  * ${url} got ${id}, its signature is verified`);
    client.printBody(event);
  } finally {
    await endpoints.remove(endpoint._id);
    await receiver.stop();
  }
}

/** @throws Error when nothing is found in time */
async function untilFound<T>(find: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + deliveryTimeoutMs;
  while (Date.now() < deadline) {
    const found = await find();
    if (found !== null) return found;
    await delay(50);
  }
  throw new Error('No webhook was due within 10 seconds.');
}

/** Returns null until every event has a number. */
async function newestNumber(app: INestApplicationContext, organizationId: Types.ObjectId) {
  const [newest] = await app
    .get(EventHistoryService)
    .list(organizationId, { failed: false, limit: 1 });
  return newest?.sequence ?? null;
}

async function findDelivery(
  app: INestApplicationContext,
  organizationId: Types.ObjectId,
  endpointId: Types.ObjectId,
) {
  const deliveries = app.get(WebhookDeliveriesService);
  const { items } = await deliveries.listPage(organizationId, { endpointId }, { limit: 1 });
  return items[0] ?? null;
}

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Verifies the event about the lead as partners do. */
function verifiedDelivery(received: readonly ReceivedRequest[], secret: string) {
  for (const { headers, body } of received) {
    const event = new Webhook(secret).verify(body, headers as Record<string, string>);
    if (isAboutLead(event)) return { id: String(headers['webhook-id']), event };
  }
  throw new Error('No webhook arrived.');
}

function isAboutLead(event: unknown): boolean {
  const { type, data } = objectOf(event);
  return type === 'lead.created' && objectOf(data)['recordSystemId'] === webhookLead.recordSystemId;
}

async function startReceiver() {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      return response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    stop,
  };
}
