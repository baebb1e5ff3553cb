import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { EventRelay } from '../../src/events/outbox/event-relay.js';
import { addTenant, publishedEvents, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Receiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { useWebhooks, type WebhookService } from './webhook-service.js';

const webhooks = useWebhooks({ WEBHOOKS_CONCURRENCY: '16', WEBHOOKS_TIMEOUT_MS: '2000' });
const { receiverWith } = webhooks;
let service: WebhookService;

beforeAll(() => {
  ({ service } = webhooks);
});

async function publish({ organizationId }: Tenant, count: number, fields: Document = {}) {
  for (let stored = 0; stored < count; stored += 5_000) {
    const events = publishedEvents(organizationId, Math.min(5_000, count - stored), fields);
    await service.db.collection('outboxEvents').insertMany(events);
  }
}

/** Milliseconds from the commit of a change until its event is received, the median of some. */
async function medianDelay(tenant: Tenant, receiver: Receiver, count: number): Promise<number> {
  const delays: number[] = [];
  for (let sent = 1; sent <= count; sent++) {
    await service.createLead(tenant);
    const committedAt = performance.now();
    await receiver.receivedRequests(sent);
    delays.push(performance.now() - committedAt);
  }
  return delays.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
}

describe('the backlog of an organization', () => {
  it('does not delay the events of another organization', async () => {
    const [busy, quiet] = [await addTenant(service.db), await addTenant(service.db)];
    const receiver = await receiverWith();
    await service.subscribe(quiet, receiver.url);
    const count = rounds(5_000, 100_000);
    await publish(busy, count);
    await service.createLead(quiet);
    const committedAt = new Date();
    await receiver.receivedRequests(1);
    const { organizationId } = busy;
    const events = service.db.collection('outboxEvents');
    const event = await events.findOne({ organizationId: quiet.organizationId });
    const numberedAt = { $gt: committedAt, $lt: event?.['numberedAt'] as Date };
    const overtaken = await events.countDocuments({ organizationId, numberedAt });
    process.stdout.write(`  ${overtaken} of ${count} waiting events were numbered before it\n`);
    // The batch that was being numbered and the next one, of 250 events each.
    expect(overtaken).toBeLessThanOrEqual(500);
    await events.deleteMany({ organizationId, sequence: null });
    await eventually(async () => {
      expect(await service.service.app.get(EventRelay).relayNext()).toBe(false);
    });
  });
});

describe('slow, failing and huge receivers', () => {
  it('do not delay a healthy receiver', async () => {
    const healthy = await addTenant(service.db);
    const receiver = await receiverWith();
    await service.subscribe(healthy, receiver.url);
    const count = rounds(15, 100);
    const alone = await medianDelay(healthy, receiver, count);
    receiver.received.length = 0;

    const others = await addTenant(service.db);
    const slow = await receiverWith((_received, response) => {
      setTimeout(() => response.writeHead(204).end(), 900);
    });
    const [hanging, failing] = [await receiverWith(() => undefined), await receiverWith(500)];
    const huge = await receiverWith((_received, response) => {
      response.writeHead(200);
      response.end('x'.repeat(1_048_576));
    });
    for (const { url } of [slow, hanging, failing]) {
      for (let number = 0; number < 10; number++) {
        await service.subscribe(others, `${url}/${number}`);
      }
    }
    const large = await addTenant(service.db);
    for (const number of [1, 2]) await service.subscribe(large, `${huge.url}/${number}`);
    await publish(others, 30);
    await publish(large, 10, { data: { text: 'x'.repeat(1_048_576) } });
    await Promise.all([slow, hanging, failing, huge].map((one) => one.receivedRequests(3)));
    const together = await medianDelay(healthy, receiver, count);
    const medians = [alone, together].map((delay) => delay.toFixed(0)).join(' and ');
    process.stdout.write(`  median delay alone and with others: ${medians} ms\n`);
    const pending = { organizationId: others.organizationId, status: 'pending' };
    const deliveries = service.db.collection('webhookDeliveries');
    expect(await deliveries.countDocuments(pending)).toBeGreaterThan(0);
    // Waiting for the slot of a hanging receiver would take until its timeout.
    expect(together).toBeLessThan(2_000);
    await deliveries.deleteMany(pending);
  });
});
