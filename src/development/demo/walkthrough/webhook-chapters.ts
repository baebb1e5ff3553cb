import { setTimeout as delay } from 'node:timers/promises';
import { type DemoReceiver, startDemoReceiver } from './webhook-receiver.js';
import type { Chapter, DemoRun, DemoSubscription } from './demo-run.js';
import { readableJson } from '../client/readable-json.js';

/** What a subscribed endpoint receives. */
export const webhookChapters: readonly Chapter[] = [
  { title: 'A subscribed endpoint receives the event, signed', execute: subscribeEndpoint },
];

const hookLead = 'hook-1';
const width = 96;
const deliveryTimeoutMs = 10_000;

async function subscribeEndpoint(run: DemoRun): Promise<void> {
  const receiver = await startDemoReceiver();
  try {
    const subscription = await run.subscribe(receiver.url);
    if (subscription !== null) receiver.trust(subscription.secret);
    const lead = { recordSystemId: hookLead, data: { budget: 4_200_000 } };
    try {
      await run.client.show(
        { method: 'POST', path: 'leads', body: lead },
        { status: 201, body: { ok: true, operation: 'create', lead } },
      );
      run.print('');
      if (subscription === null) explainRefusal(run);
      else await printDelivery(run, receiver, subscription);
    } finally {
      await subscription?.end();
    }
  } finally {
    await receiver.stop();
  }
}

function explainRefusal({ print }: DemoRun): void {
  print('  * Nothing may be sent to this machine. Set');
  print('    WEBHOOKS_ALLOW_HTTP=true WEBHOOKS_ALLOW_PRIVATE_NETWORKS=true to see what is sent.');
}

async function printDelivery(
  run: DemoRun,
  receiver: DemoReceiver,
  subscription: DemoSubscription,
): Promise<void> {
  const { print } = run;
  const deadline = Date.now() + deliveryTimeoutMs;
  while (Date.now() < deadline) {
    const [error] = receiver.verificationErrors;
    if (error !== undefined) throw new Error(`The receiver could not verify the webhook: ${error}`);
    const webhook = receiver.verified.find(({ event }) => isAbout(event, hookLead));
    if (webhook !== undefined) {
      print(`  * ${receiver.url} got ${webhook.id}, its signature is verified`);
      for (const line of readableJson(webhook.event, width)) print(`    ${line}`);
      return;
    }
    if ((await subscription.rejectionReason()) !== null) return explainRefusal(run);
    await delay(50);
  }
  throw new Error('No webhook arrived within 10 seconds.');
}

/** Events of earlier chapters may still be on their way. */
function isAbout(event: unknown, recordSystemId: string): boolean {
  const { type, data } = event as { type?: unknown; data?: { recordSystemId?: unknown } };
  return type === 'lead.created' && data?.recordSystemId === recordSystemId;
}
