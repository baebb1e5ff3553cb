import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { WebhookDeliveriesService } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { objectOf } from '../../../core/values/plain-object.js';
import type { Step } from '../client/demo-client.js';
import { readableJson } from '../client/readable-json.js';
import type { Chapter, DemoRun } from './chapter.js';

const unitId = 'CRM-1';
const firstPrice = 9_000_000;
const newPrice = 8_750_000;
const readUnit = { method: 'GET', path: 'units/{slug}' } as const;
const hookLead = { recordSystemId: 'hook-1', data: { budget: 4_200_000 } };
const width = 96;
const deliveryTimeoutMs = 10_000;

/** A CRM that keeps its copy of the catalogue up to date. */
export const pollingChapters: readonly Chapter[] = [
  {
    title: 'A CRM polls a unit: nothing has changed, then its price has',
    steps: [
      {
        ...upsert(firstPrice, 201, 'create'),
        captured: { slug: 'body.unit.slug' },
        isSilent: true,
      },
      {
        request: readUnit,
        expected: { status: 200, body: { data: { unitId } } },
        captured: { etag: 'headers.etag' },
        isSilent: true,
      },
      { request: { ...readUnit, etag: '{etag}' }, expected: { status: 304, body: '' } },
      upsert(newPrice, 200, 'update'),
      {
        request: { ...readUnit, etag: '{etag}' },
        expected: { status: 200, body: { data: { unitId, price: newPrice } } },
      },
    ],
  },
  { title: 'Or it asks for what has changed since its last visit', steps: [askForChanges] },
];

/** A subscribed endpoint, and a partner that nobody can send webhooks to. */
export const eventChapters: readonly Chapter[] = [
  { title: 'A subscribed endpoint receives the event, signed', steps: [receiveWebhook] },
  {
    title: 'Who cannot receive them asks for the events, in their order',
    steps: [
      {
        // Numbers come a moment after the changes.
        request: { method: 'GET', path: 'events?after=0&limit=1&wait=10' },
        expected: { status: 200, body: { data: [{ sequence: 1 }] } },
        captured: { next: 'body.next' },
        isSilent: true,
      },
      ({ print }) => {
        print('');
        // Or one would take it for a mistake.
        print(
          '  This person was erased in an earlier chapter: the event stays, its data is empty.',
        );
      },
      {
        request: { method: 'GET', path: 'events?after={next}&limit=1&types=lead.*&wait=10' },
        expected: { status: 200, body: { data: [{ type: 'lead.created' }] } },
      },
    ],
  },
];

function upsert(price: number, status: number, operation: string): Step {
  const body = {
    unitId,
    name: { 'en-us': 'Corner Villa', 'ar-eg': 'فيلا زاوية' },
    compound: 'palm-meadows',
    propertyType: 'villa',
    price,
  };
  return {
    request: { method: 'POST', path: 'units', body },
    expected: { status, body: { operation, unit: { unitId, price } } },
  };
}

async function askForChanges({ client }: DemoRun): Promise<void> {
  const lastVisit = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z/, 'Z');
  await client.run({
    request: { method: 'GET', path: `units?updatedSince=${lastVisit}&unitId=${unitId}` },
    expected: { status: 200, body: { data: [{ price: newPrice }], pagination: { total: 1 } } },
  });
}

async function receiveWebhook(run: DemoRun): Promise<void> {
  const { app, client, organizationId, print } = run;
  const endpoints = app.get(WebhookEndpointsService);
  const receiver = await startReceiver();
  const { url } = receiver;
  const isForbidden = endpoints.forbiddenReason(url) !== null;
  const added = isForbidden
    ? undefined
    : await endpoints.add(organizationId, { url, eventTypes: ['*'] });
  try {
    if (added !== undefined) receiver.trust(added.secret);
    await client.run({
      request: { method: 'POST', path: 'leads', body: hookLead },
      expected: { status: 201, body: { ok: true, operation: 'create', lead: hookLead } },
    });
    print('');
    for (const line of await deliveryLines(run, receiver, added?.endpoint._id)) print(line);
  } finally {
    if (added !== undefined) await endpoints.remove(added.endpoint._id);
    await receiver.stop();
  }
}

/** What arrived, or why nothing may arrive. */
async function deliveryLines(
  { app, organizationId }: DemoRun,
  { url, webhooks, failures }: Receiver,
  endpointId: Awaited<ReturnType<WebhookEndpointsService['add']>>['endpoint']['_id'] | undefined,
): Promise<string[]> {
  const deliveries = app.get(WebhookDeliveriesService);
  const refusal = [
    '  * Nothing may be sent to this machine. Set',
    '    WEBHOOKS_ALLOW_HTTP=true WEBHOOKS_ALLOW_PRIVATE_NETWORKS=true to see what is sent.',
  ];
  if (endpointId === undefined) return refusal;
  const deadline = Date.now() + deliveryTimeoutMs;
  while (Date.now() < deadline) {
    if (failures[0] !== undefined) throw failures[0];
    // Events of earlier chapters may still be on their way.
    const webhook = webhooks.find(({ event }) => isAboutLead(event));
    if (webhook !== undefined) {
      const lines = readableJson(webhook.event, width).map((line) => `    ${line}`);
      return [`  * ${url} got ${webhook.id}, its signature is verified`, ...lines];
    }
    const [delivery] = await deliveries.list(organizationId, { endpointId }, 1);
    if (delivery?.lastError) return refusal;
    await delay(50);
  }
  throw new Error('No webhook arrived within 10 seconds.');
}

function isAboutLead(event: unknown): boolean {
  const { type, data } = objectOf(event);
  return type === 'lead.created' && objectOf(data)['recordSystemId'] === hookLead.recordSystemId;
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A receiver of webhooks as a partner would write it, which verifies by the Standard Webhooks library. */
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
    /** Those that were verified. */
    webhooks,
    failures,
    /** Sets the secret that the operator has given it. */
    trust: (secret: string) => void (verifier = new Webhook(secret)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
