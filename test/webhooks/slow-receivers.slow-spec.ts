import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Receiver } from '../support/receiver.js';
import { useWebhooks, type WebhookService } from './webhook-service.js';

// Eight attempts at a time, four to new endpoints and two to slow ones.
const webhooks = useWebhooks({
  WEBHOOKS_CONCURRENCY: '8',
  // Attempts that hang stay open while a busy machine does the rest.
  WEBHOOKS_TIMEOUT_MS: '30000',
});
const { receiverWith } = webhooks;
let service: WebhookService;

beforeAll(() => {
  ({ service } = webhooks);
});

const endpoints = () => service.db.collection('webhookEndpoints');
const classOf = async ({ id }: { id: ObjectId }) =>
  (await endpoints().findOne({ _id: id }))?.['latencyClass'] as unknown;

/** Many endpoints of one tenant whose receiver never responds, each with an event. */
async function startHanging(latencyClass?: 'slow'): Promise<Receiver> {
  const hanging = await receiverWith(() => undefined);
  const { tenant } = webhooks;
  for (let number = 0; number < 20; number++) {
    await service.subscribe(tenant, `${hanging.url}/${number}`);
  }
  if (latencyClass !== undefined) {
    await endpoints().updateMany(
      { organizationId: tenant.organizationId },
      { $set: { latencyClass } },
    );
  }
  await service.createLead(tenant);
  return hanging;
}

describe('slow endpoints', () => {
  it('get a quarter of the attempts, even in a process that never sent to them', async () => {
    const hanging = await startHanging('slow');
    await hanging.receivedRequests(2);
    const other = await addTenant(service.db);
    const good = await receiverWith();
    const endpoint = await service.subscribe(other, good.url);
    for (const id of ['first', 'second', 'third']) {
      await service.createLead(other, id);
      await service.deliveryOf(endpoint, { status: 'delivered' });
    }
    await good.receivedRequests(3);
    expect(hanging.received).toHaveLength(2);
    await eventually(async () => expect(await classOf(endpoint)).toEqual(expect.any(String)));
  });
});

describe('WEBHOOKS_CONCURRENCY', () => {
  it('limits the attempts of a process, half of them to new endpoints', async () => {
    const hanging = await startHanging();
    const other = await addTenant(service.db);
    const open: (() => void)[] = [];
    const fast = await receiverWith((_received, response) => {
      open.push(() => response.writeHead(204).end());
    });
    for (let number = 0; number < 8; number++) {
      await service.subscribe(other, `${fast.url}/${number}`);
    }
    const { organizationId } = other;
    await endpoints().updateMany({ organizationId }, { $set: { latencyClass: 'fast' } });
    await service.createLead(other);
    await fast.receivedRequests(4);
    await hanging.receivedRequests(4);
    // All of the eight are open; a ninth would have come with them.
    expect([hanging.received.length, fast.received.length]).toEqual([4, 4]);
    for (const answer of open.splice(0)) answer();
    await fast.receivedRequests(8);
    expect(hanging.received).toHaveLength(4);
    for (const answer of open) answer();
  });
});
