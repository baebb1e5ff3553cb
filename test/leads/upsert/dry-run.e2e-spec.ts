import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { addCompound } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

const phone = '01000000001';
const kinds =
  'leads clients changeLogs outboxEvents transactionLocks counters idempotencyRecords'.split(' ');
const stored = () => Promise.all(kinds.map((kind) => tenant.stored(kind)));
const dry = (lead: object) => tenant.post('/leads', { ...lead, dryRun: true });

beforeEach(async () => {
  tenant = await service.addTenant();
  await tenant.add(addCompound, { 'en-us': 'Palm Meadows' });
  const known = { recordSystemId: 'known', name: 'Mona', phoneNumber: phone };
  await tenant.post('/leads', known).expect(201);
});

describe('POST /leads with dryRun', () => {
  const varying = new Set(['_id', 'clientId', 'leadId', 'createdAt', 'updatedAt']);
  const comparable = (body: unknown) =>
    JSON.parse(
      JSON.stringify(body, (name, value: unknown) => (varying.has(name) ? undefined : value)),
    ) as unknown;

  it.each([
    [{ name: 'Adel', phoneNumber: '01000000002', project: 'palm  meadows' }],
    [{ recordSystemId: 'new', project: 'Unknown', additionalData: { a: 1 }, other: 1 }],
    [{ recordSystemId: 'known', email: 'mona@example.com' }],
    [{ recordSystemId: 'known' }],
    [{ phoneNumber: '+20 100 000 0001' }],
    [{ email: 'nobody', data: { name: {} } }],
  ])('returns what %j gets without it, and stores nothing', async (lead) => {
    const before = await stored();
    const dryResponse = await dry(lead);
    expect(await stored()).toEqual(before);
    const response = await tenant.post('/leads', lead);
    expect(dryResponse.status).toBe(response.status);
    expect(comparable(dryResponse.body)).toEqual(comparable(response.body));
    for (const name of ['x-error-code', 'x-ignored-fields', 'x-unmatched-project'])
      expect([name, dryResponse.headers[name]]).toEqual([name, response.headers[name]]);
  });

  it('returns no number for a lead that would be created', async () => {
    const { body: created } = await dry({ name: 'Adel' }).expect(201);
    expect(created.lead.leadId).toBeNull();
    expect(created.newLead).toEqual(created.lead);
    const { body: updated } = await dry({ recordSystemId: 'known', name: 'Adel' }).expect(200);
    expect(updated.lead).toMatchObject({ leadId: 1, data: { name: 'Adel' } });
  });

  it('stores the lead when it is false, and leaves the key of a dry run usable', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const lead = { recordSystemId: 'checked', name: 'Adel' };
    for (const invalid of [{}, { phoneNumber: phone }]) await dry({ ...lead, ...invalid }).set(key);
    expect(await tenant.count('idempotencyRecords')).toBe(0);
    const send = () =>
      tenant
        .post('/leads', { ...lead, dryRun: false })
        .set(key)
        .expect(201);
    expect((await send()).headers).not.toHaveProperty('idempotent-replayed');
    expect((await send()).headers).toHaveProperty('idempotent-replayed', 'true');
    const { headers } = await dry(lead).set(key).expect(200);
    expect(headers).not.toHaveProperty('idempotent-replayed');
  });

  it.each(['true', 1, 0, '', [], {}, 'yes'])(
    'returns 400 and stores nothing when it is %j',
    async (dryRun) => {
      const { body } = await tenant.post('/leads', { name: 'Adel', dryRun }).expect(400);
      expect(body.message).toEqual([expect.stringContaining('dryRun')]);
      expect(await tenant.count('leads')).toBe(1);
    },
  );

  it('does not wait for a transaction that locks the same records', async () => {
    const { organizationId } = tenant;
    const session = service.db.client.startSession();
    session.startTransaction();
    for (const collection of ['leads', 'clients', 'transactionLocks', 'counters']) {
      const held = { $set: { heldBy: 'another program' } };
      await service.db.collection(collection).updateMany({ organizationId }, held, { session });
    }
    await dry({ recordSystemId: 'known', name: 'Adel' }).expect(200);
    await dry({ phoneNumber: '01000000002' }).expect(201);
    await session.abortTransaction();
    await session.endSession();
  });

  it('is named as ignored inside a lead of a batch', async () => {
    const leads = [{ name: 'Adel', dryRun: true }];
    const { headers } = await tenant.post('/leads/batch', { leads }).expect(200);
    expect(headers['x-ignored-fields']).toBe('leads.0.dryRun');
  });
});
