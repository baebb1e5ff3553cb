import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { objectOf } from '../../core/values/json.js';
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
const hookLead = { recordSystemId: 'hook-1', data: { budget: 4_200_000 } };
const deliveryTimeoutMs = 10_000;

/** Steps that are more than a request; true when one is skipped. */
export const demoActions = { sendFromSources, eraseLead, receiveWebhook };

/** One lead of each source, in the shape in which that source sends it. */
async function sendFromSources({ client, print }: DemoRun): Promise<boolean> {
  const lines = readFileSync(join(import.meta.dirname, 'lead-sources.ndjson'), 'utf8');
  print('');
  for (const line of lines.trimEnd().split('\n')) {
    const { source, body } = JSON.parse(line) as { source: string; body: object };
    const { status } = await client.run({
      request: { method: 'POST', path: 'leads', as: 'website', body },
      expected: { status: 201, body: { operation: 'create', lead: body } },
      captured: { number: 'body.lead.leadId' },
      isSilent: true,
    });
    print(client.filled(`  ${source.padEnd(20)} ${status} created, lead number {number}`));
  }
  return false;
}

async function eraseLead({ app, organizationId, print }: DemoRun): Promise<boolean> {
  const erasures = app.get(ErasuresService);
  const organization = await app.get(OrganizationsRepository).find(organizationId);
  if (organization === null) throw new Error('The organization of the demo is gone.');
  const erase = async () => {
    const leadIds = await erasures.leadsOf(organization, erasedLead);
    const { counts } = await erasures.erase(organization, leadIds);
    return Object.entries(counts).filter(([, count]) => count > 0);
  };
  print('');
  print(`  lead erase --lead ${erasedLead}`);
  for (const [kind, count] of await erase()) print(`  ${kind.padEnd(20)} ${count}`);
  const left = await erase();
  if (left.length > 0) throw new Error(`The erasure has left something: ${JSON.stringify(left)}`);
  return false;
}

async function receiveWebhook(run: DemoRun): Promise<boolean> {
  const { app, client, organizationId, print } = run;
  const endpoints = app.get(WebhookEndpointsService);
  const receiver = await startReceiver();
  const { url } = receiver;
  const added =
    endpoints.forbiddenReason(url) === null
      ? await endpoints.add(organizationId, { url, eventTypes: ['*'] })
      : null;
  try {
    if (added !== null) receiver.trust(added.secret);
    await client.run({
      request: { method: 'POST', path: 'leads', as: 'website', body: hookLead },
      expected: { status: 201, body: { ok: true, operation: 'create', lead: hookLead } },
    });
    const webhook = added && (await deliveryTo(receiver, run, added.endpoint._id));
    print('');
    if (webhook === null) {
      print('  * Nothing may be sent to this machine. Set');
      print(
        '    WEBHOOKS_ALLOW_HTTP=true WEBHOOKS_ALLOW_PRIVATE_NETWORKS=true to see what is sent.',
      );
      return true;
    }
    print(`  * ${url} got ${webhook.id}, its signature is verified`);
    client.printBody(webhook.event);
    return false;
  } finally {
    if (added !== null) await endpoints.remove(added.endpoint._id);
    await receiver.stop();
  }
}

async function deliveryTo(
  { webhooks, failures }: Awaited<ReturnType<typeof startReceiver>>,
  { app, organizationId }: DemoRun,
  endpointId: Types.ObjectId,
): Promise<{ readonly id: string; readonly event: unknown } | null> {
  const deadline = Date.now() + deliveryTimeoutMs;
  while (Date.now() < deadline) {
    if (failures[0] !== undefined) throw failures[0];
    // Events of earlier chapters may arrive first.
    const webhook = webhooks.find(({ event }) => isAboutLead(event));
    if (webhook !== undefined) return webhook;
    const { items } = await app
      .get(WebhookDeliveriesService)
      .listPage(organizationId, { endpointId }, { limit: 1 });
    if (items[0]?.lastError) return null;
    await delay(50);
  }
  throw new Error('No webhook arrived within 10 seconds.');
}

function isAboutLead(event: unknown): boolean {
  const { type, data } = objectOf(event);
  return type === 'lead.created' && objectOf(data)['recordSystemId'] === hookLead.recordSystemId;
}

/** A partner's receiver, which verifies by the Standard Webhooks library. */
async function startReceiver() {
  const webhooks: { readonly id: string; readonly event: unknown }[] = [];
  const failures: Error[] = [];
  let verifier: Webhook | undefined;
  const verify = (body: string, headers: Record<string, string>) => {
    try {
      webhooks.push({ id: headers['webhook-id'] ?? '', event: verifier?.verify(body, headers) });
      return 204;
    } catch (error) {
      failures.push(new Error(`The receiver could not verify the webhook: ${String(error)}`));
      return 401;
    }
  };
  const server = createServer((request, response) => {
    void text(request).then((body) =>
      response.writeHead(verify(body, request.headers as Record<string, string>)).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    webhooks,
    failures,
    trust: (secret: string) => void (verifier = new Webhook(secret)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
