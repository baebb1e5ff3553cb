import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { objectOf } from '../../core/values/json.js';
import { LeadLookupService } from '../../leads/lead-lookup.service.js';
import { ErasuresService } from '../../operator/erasure/erasures.service.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { WebhookDeliveriesService } from '../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../webhooks/endpoints/webhook-endpoints.service.js';
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

export const demoActions: Record<
  'eraseLead' | 'receiveWebhook',
  (run: DemoRun) => Promise<void | 'skipped'>
> = { eraseLead, receiveWebhook };

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

async function receiveWebhook(run: DemoRun): Promise<void | 'skipped'> {
  const { app, client, organizationId, print } = run;
  const endpoints = app.get(WebhookEndpointsService);
  const receiver = await startReceiver();
  const { url } = receiver;
  const added =
    endpoints.forbiddenReason(url) === null
      ? await endpoints.add(organizationId, { url, eventTypes: ['*'] })
      : null;
  try {
    await client.run({
      request: { method: 'POST', path: 'leads', as: 'website', body: webhookLead },
      expected: { status: 201, body: { ok: true, operation: 'create', lead: webhookLead } },
    });
    const webhook = added && (await awaitDelivery(receiver.received, run, added));
    print('');
    if (webhook === null) {
      print('  * Skipped: webhooks to this machine are not allowed. To receive one, set');
      print('    WEBHOOKS_ALLOW_HTTP=true WEBHOOKS_ALLOW_PRIVATE_NETWORKS=true.');
      return 'skipped';
    }
    print(`  * ${url} got ${webhook.id}, its signature is verified`);
    client.printBody(webhook.event);
  } finally {
    if (added !== null) await endpoints.remove(added.endpoint._id);
    await receiver.stop();
  }
}

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Verifies the event about the lead as partners do; returns null if the worker may not send it. */
async function awaitDelivery(
  received: readonly ReceivedRequest[],
  { app, organizationId }: DemoRun,
  { endpoint, secret }: Awaited<ReturnType<WebhookEndpointsService['add']>>,
): Promise<{ readonly id: string; readonly event: unknown } | null> {
  const deliveries = app.get(WebhookDeliveriesService);
  const filter = { endpointId: endpoint._id };
  const deadline = Date.now() + deliveryTimeoutMs;
  while (Date.now() < deadline) {
    for (const { headers, body } of received) {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>);
      // Events of earlier chapters may arrive first.
      if (isAboutLead(event)) return { id: String(headers['webhook-id']), event };
    }
    const { items } = await deliveries.listPage(organizationId, filter, { limit: 1 });
    if (items[0]?.lastError) return null;
    await delay(50);
  }
  throw new Error('No webhook arrived within 10 seconds.');
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
