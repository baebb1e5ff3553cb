import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { WebhookSender } from '../../src/webhooks/sending/webhook-sender.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

let service: WebhookService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startWebhookService();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

describe('an endpoint whose eventTypes another program has set to null', () => {
  it('gets nothing and is shown as faulty, until it is mended; others get their events', async () => {
    const tenant = await addTenant(service.db);
    const [broken, good] = [
      await service.subscribe(tenant, `${receiver.url}/broken`),
      await service.subscribe(tenant, `${receiver.url}/good`),
    ];
    const endpoints = service.db.collection('webhookEndpoints');
    const setTypes = (eventTypes: string[] | null) =>
      endpoints.updateOne({ _id: broken.id }, { $set: { eventTypes } });
    await setTypes(null);
    await service.createLead(tenant);
    await service.deliveryOf(good, { status: 'delivered' });
    expect(await endpoints.findOne({ _id: broken.id })).toMatchObject({
      isEnabled: true,
      fault: 'eventTypes is not a list',
    });
    expect(service.logged()).toContain(broken.id.toHexString());
    await setTypes(['*']);
    await service.createLead(tenant);
    await service.deliveryOf(broken, { status: 'delivered' });
    expect(await endpoints.findOne({ _id: broken.id })).toMatchObject({ fault: null });
  });
});

describe('an attempt that cannot be logged', () => {
  it('does not hold up those that are stored with it, and is not repeated without end', async () => {
    const tenant = await addTenant(service.db);
    const [broken, good] = [
      await service.subscribe(tenant, `${receiver.url}/broken`),
      await service.subscribe(tenant, `${receiver.url}/good`),
    ];
    // As no version of this service writes it.
    await service.db
      .collection('webhookEndpoints')
      .updateOne({ _id: broken.id }, { $set: { url: 5 } }, { bypassDocumentValidation: true });
    const sender = service.service.app.get(WebhookSender);
    const send = sender.send.bind(sender);
    let waiting = 0;
    let release: (() => void) | undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    sender.send = async (...parameters) => {
      const result = await send(...parameters);
      waiting += 1;
      if (waiting === 2) release?.();
      await both;
      return result;
    };
    await service.createLead(tenant);
    await service.deliveryOf(good, { status: 'delivered', attempts: 1 });
    const { _id } = await service.deliveryOf(broken, { status: 'pending', attempts: 1 });
    sender.send = send;
    const attempts = service.db.collection('webhookAttempts');
    expect(await attempts.countDocuments({ endpointId: good.id })).toBe(1);
    expect(service.logged()).toContain(_id.toHexString());
  });
});
