import { setTimeout as delay } from 'node:timers/promises';
import { type DemoReceiver, startDemoReceiver } from './demo-receiver.js';
import type { Chapter, DemoRun, DemoSubscription } from './demo-run.js';
import { readableJson } from './readable-json.js';

/** What a subscribed endpoint is told. */
export const webhookStory: readonly Chapter[] = [
  { title: 'A partner with an endpoint is told of it, signed', tell: tellAnEndpoint },
];

const width = 96;
const patience = 10_000;

async function tellAnEndpoint(run: DemoRun): Promise<void> {
  const receiver = await startDemoReceiver();
  const subscription = await run.subscribe(receiver.url);
  receiver.trust(subscription.secret);
  try {
    const lead = { recordSystemId: `hook-${run.id}`, data: { budget: 4_200_000 } };
    await run.client.show(
      { method: 'POST', path: 'leads', body: lead },
      { status: 201, body: { ok: true, operation: 'create', lead } },
    );
    run.print('');
    await tellWhatArrives(run, receiver, subscription);
  } finally {
    await subscription.end();
    await receiver.stop();
  }
}

async function tellWhatArrives(
  { print }: DemoRun,
  receiver: DemoReceiver,
  subscription: DemoSubscription,
): Promise<void> {
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    const [refused] = receiver.refused;
    if (refused !== undefined) throw new Error(`The receiver refused the webhook: ${refused}`);
    const [webhook] = receiver.arrived;
    if (webhook !== undefined) {
      print(`  * ${receiver.url} got ${webhook.id}, its signature is verified`);
      for (const line of readableJson(webhook.event, width)) print(`    ${line}`);
      return;
    }
    if ((await subscription.refusal()) !== null) {
      print('  * The running service may not send to this machine. Start it with');
      print(
        '    WEBHOOKS_ALLOW_HTTP=true WEBHOOKS_ALLOW_PRIVATE_NETWORKS=true to see what it sends.',
      );
      return;
    }
    await delay(50);
  }
  throw new Error('No webhook arrived within 10 seconds.');
}
