import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { startSession } from '../operator/command-line.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

let service: WebhookService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startWebhookService({ BODY_LIMIT_BYTES: '4194304' });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

const events = () => service.db.collection('outboxEvents');
const post = ({ key }: Tenant, data: object) =>
  service.api('post', '/leads').set('api-key', key).send({ recordSystemId: 'large', data });

/** Stores an event as an instance of an earlier version did, before events had a bound. */
async function addLargeEvent({ organizationId }: Tenant): Promise<ObjectId> {
  const past = new Date(Date.now() - 60_000);
  const data = { _id: new ObjectId().toHexString(), text: '\u0001'.repeat(4 * 1_048_576) };
  const { insertedId } = await events().insertOne({
    organizationId,
    type: 'lead.created',
    data,
    relayedAt: null,
    isDeleted: false,
    createdAt: past,
    updatedAt: past,
  });
  return insertedId;
}

describe('an event that is too large as JSON', () => {
  it('is refused with its change, which is small in the database', async () => {
    const tenant = await addTenant(service.db);
    // One byte each in the database, six in JSON.
    const text = '\u0001'.repeat(600_000);
    await post(tenant, { first: text }).expect(201);
    const refused = await post(tenant, { second: text }).expect(400);
    expect(refused.headers['x-error-code']).toBe('request.event_too_large');
    expect(refused.body.message).toMatch(/larger than 8 MiB/);
    const lead = await service.db.collection('leads').findOne({ recordSystemId: 'large' });
    expect(Object.keys(lead?.['data'])).toEqual(['first']);
    expect(await events().countDocuments({ organizationId: tenant.organizationId })).toBe(1);
  });

  it('of an earlier version is set aside; the rest of its batch is delivered', async () => {
    const [faulty, healthy] = [await addTenant(service.db), await addTenant(service.db)];
    await service.subscribe(faulty, `${receiver.url}/faulty`);
    await service.subscribe(healthy, `${receiver.url}/healthy`);
    const id = await addLargeEvent(faulty);
    await Promise.all([service.createLead(faulty), service.createLead(healthy)]);
    await eventually(() => {
      const paths = receiver.received.map(({ path }) => path).toSorted();
      expect(paths).toEqual(['/hook/faulty', '/hook/healthy']);
    });
    await eventually(async () => {
      expect(await events().findOne({ _id: id })).toMatchObject({
        relayedAt: expect.any(Date),
        failureReason: 'The body is larger than 8 MiB',
      });
    });
    expect(service.logged()).toContain(id.toHexString());
    const session = startSession({ MONGODB_URI: service.databaseUri });
    const org = faulty.organizationId.toHexString();
    expect(await session.json('webhook', 'events', '--org', org, '--failed')).toMatchObject([
      { _id: id.toHexString(), failureReason: 'The body is larger than 8 MiB' },
    ]);
  });
});
