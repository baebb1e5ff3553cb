import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { range } from '../../support/counting.js';
import { eventually } from '../../support/eventually.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';
import { type Batch, withoutIds } from './batch-results.js';
import { post as postKeyed } from '../../idempotency/keyed-requests.js';

const service = sharedService();
let tenant: TenantApi;

beforeEach(async () => {
  tenant = await service.addTenant();
});

const send = (leads: readonly unknown[], others: object = {}) =>
  tenant.post('/leads/batch', { leads, ...others });
const batch = async (leads: readonly unknown[], others?: object) =>
  (await send(leads, others).expect(200)).body as Batch;
const statusesOf = ({ results }: Batch) => results.map(({ statusCode }) => statusCode);
const phone = '01000000001';

describe('POST /leads/batch', () => {
  it('does not delay single leads, but the next batch', async () => {
    await batch([{ recordSystemId: 'held' }]);
    const { organizationId } = tenant;
    const session = service.db.client.startSession();
    session.startTransaction();
    const held = { organizationId, recordSystemId: 'held' };
    await service.db.collection('leads').updateOne(held, { $set: { byOther: 1 } }, { session });
    const order: string[] = [];
    const note = async (name: string, response: PromiseLike<unknown>) => {
      await response;
      order.push(name);
    };
    /** Returns when the batch has its idempotency key, so that its lead is next. */
    const start = async (key: string, recordSystemId: string) => {
      const request = tenant.post('/leads/batch', { leads: [{ recordSystemId, name: 'Mona' }] });
      const end = note(key, request.set('idempotency-key', key).expect(200));
      const claims = service.db.collection('idempotencyRecords');
      await eventually(async () =>
        expect(await claims.countDocuments({ organizationId, key })).toBe(1),
      );
      return { end };
    };
    const { end: first } = await start('first-batch', 'held');
    const { end: second } = await start('second-batch', 'free');
    const form = { recordSystemId: 'a form', name: 'Mona' };
    await note('lead', tenant.post('/leads', form).expect(201));
    await session.abortTransaction();
    await session.endSession();
    await Promise.all([first, second]);
    expect(order).toEqual(['lead', 'first-batch', 'second-batch']);
  });

  it('upserts each lead as a single request would, in order', async () => {
    const body = await batch([
      { recordSystemId: 'a', name: 'Mona', phoneNumber: phone },
      { recordSystemId: 'b', phoneNumber: '+20 100 000 0001' },
      { recordSystemId: 'a', name: 'Mona El Sayed', phoneNumber: '01000000002' },
      { recordSystemId: 'b', phoneNumber: phone },
      { name: 'without an id' },
    ]);
    const message = [expect.stringContaining('+20 100 000 0001')];
    const refusal = { message, error: 'Bad Request', errorCode: 'lead.duplicate_phone' };
    const data = { name: 'Mona El Sayed', phoneNumber: '01000000002' };
    const results = [
      { index: 0, statusCode: 201, operation: 'create', lead: { leadId: 1 } },
      { index: 1, statusCode: 400, ...refusal },
      { index: 2, statusCode: 200, operation: 'update', lead: { leadId: 1, data } },
      { index: 3, statusCode: 201, operation: 'create', lead: { leadId: 2 } },
      { index: 4, statusCode: 201, operation: 'create', lead: { leadId: 3 } },
    ];
    expect(body).toMatchObject({ ok: false, created: 3, updated: 1, refused: 1, results });
    const read = await tenant.get('/leads/a').expect(200);
    expect(read.body.lead).toEqual(body.results[2]?.lead);
    const events = await tenant.stored('outboxEvents', { type: /^lead\./ });
    expect(events.map((event) => [event['type'], event['data'].leadId] as unknown)).toEqual([
      ['lead.created', 1],
      ['lead.updated', 1],
      ['lead.created', 2],
      ['lead.created', 3],
    ]);
    expect([await tenant.count('leads'), await tenant.count('changeLogs')]).toEqual([3, 4]);
  });

  it('refuses an invalid lead with the messages of a single request', async () => {
    const invalid = [
      { recordSystemId: 'a', email: 'nobody', name: '' },
      'text',
      null,
      [{ recordSystemId: 'b' }],
      { data: { name: { $gt: '' } } },
    ];
    for (const language of ['en-us', 'ar-eg']) {
      const { body } = await send([...invalid, {}], { dryRun: true }).set('language', language);
      for (const [index, lead] of invalid.entries()) {
        const headers = { language, 'content-type': 'application/json' };
        const alone = tenant.post('/leads').set(headers).send(JSON.stringify(lead));
        const response = await alone.expect(400);
        const errorCode = response.headers['x-error-code'] as string;
        expect(body.results[index]).toEqual({ index, ...response.body, errorCode });
      }
      expect(body).toMatchObject({ ok: false, created: 1, updated: 0, refused: 5 });
    }
  });

  it('accepts 100 leads and numbers them in order', async () => {
    const { results, created } = await batch(range(100).map(() => ({})));
    expect([created, await tenant.count('leads')]).toEqual([100, 100]);
    expect(results.map(({ lead }) => (lead?.leadId ?? 0) - 1)).toEqual(range(100));
  });

  it('returns the ignored fields of leads in x-ignored-fields', async () => {
    const { headers } = await send([{ phone: '1' }, { data: { phone: '1' }, x: 1 }]);
    expect(headers['x-ignored-fields']).toBe('leads.0.phone, leads.1.x');
  });

  it('accepts "batch" as an external id', async () => {
    await batch([{ recordSystemId: 'batch', name: 'Mona' }]);
    for (const method of ['get', 'delete'] as const) {
      const { body } = await tenant[method]('/leads/batch').expect(200);
      expect(body.lead.data).toEqual({ name: 'Mona' });
    }
  });

  it('refuses leads deeper than 32 levels', async () => {
    const lead = (depth: number) => {
      const [open, close] = ['{"data":', '}'].map((part) => part.repeat(depth - 1));
      return JSON.parse(`${open}{}${close}`) as object;
    };
    expect(statusesOf(await batch([lead(32)]))).toEqual([201]);
    const { headers } = await send([lead(33)]).expect(400);
    expect(headers['x-error-code']).toBe('request.json_too_deep');
  });

  it('stores the leads of an Idempotency-Key once and replays the response', async () => {
    const leads = [{ name: 'Mona' }, { email: 'nobody' }, { name: 'Adel' }];
    for (const body of [{ leads }, { leads, dryRun: true }, { leads: [7] }]) {
      const request = { url: service.url, path: '/leads/batch', apiKey: tenant.key, body };
      const keyed = { ...request, key: randomUUID() };
      const first = await postKeyed(keyed);
      expect(first).toMatchObject({ status: 200, isReplayed: false });
      expect(await postKeyed(keyed)).toEqual({ ...first, isReplayed: true });
    }
    expect(await tenant.count('leads')).toBe(2);
  });
});

describe('POST /leads/batch with dryRun', () => {
  const dryRun = { dryRun: true };

  it('returns leads without numbers and stores nothing', async () => {
    await batch([{ recordSystemId: 'a', name: 'Mona', phoneNumber: phone }]);
    const kinds = 'leads clients changeLogs outboxEvents transactionLocks counters'.split(' ');
    const stored = () => Promise.all(kinds.map((kind) => tenant.stored(kind)));
    const before = await stored();
    const leads = [
      { recordSystemId: 'a', name: 'Mona El Sayed' },
      { recordSystemId: 'b', phoneNumber: '01000000002' },
      { recordSystemId: 'b', name: 'Adel' },
      { phoneNumber: phone },
    ];
    expect((await batch(leads, dryRun)).results).toMatchObject([
      { statusCode: 200, lead: { leadId: 1, data: { name: 'Mona El Sayed' } } },
      { statusCode: 201, lead: { leadId: null } },
      { statusCode: 200, lead: { leadId: null, data: { name: 'Adel' } } },
      { statusCode: 400, errorCode: 'lead.duplicate_phone' },
    ]);
    expect(await stored()).toEqual(before);
  });

  it('does not wait for a transaction that locks the same records', async () => {
    const { organizationId } = tenant;
    await batch([{ recordSystemId: 'a', phoneNumber: phone }]);
    const session = service.db.client.startSession();
    session.startTransaction();
    for (const collection of ['leads', 'clients', 'transactionLocks', 'counters']) {
      const held = { $set: { heldBy: 'another program' } };
      await service.db.collection(collection).updateMany({ organizationId }, held, { session });
    }
    const leads = [{ recordSystemId: 'a', name: 'Mona' }, { phoneNumber: '01000000002' }];
    expect(await batch(leads, dryRun)).toMatchObject({ created: 1, updated: 1 });
    await session.abortTransaction();
    await session.endSession();
  });

  it('returns the result that the same batch has without dryRun', async () => {
    const optional = <T>(fields: Record<string, fc.Arbitrary<T>>) =>
      fc.record(fields, { requiredKeys: [] });
    const phones = fc.constantFrom(phone, '+20 100 000 0001', '01000000002', '-');
    const contact = {
      name: fc.constantFrom('Mona', 'Adel', ''),
      email: fc.constantFrom('one@example.com', 'ONE@example.com', 'two@example.com', 'none'),
      phoneNumber: phones,
      phoneNumber2: phones,
    };
    const references = fc.constantFrom('x', '$ref', '$id');
    const lead = optional<unknown>({
      recordSystemId: fc.constantFrom('a', 'b', 'c'),
      ...contact,
      data: optional(contact),
      additionalData: fc.dictionary(references, fc.nat(2), { maxKeys: 1 }),
    });
    const anything = fc.oneof({ weight: 9, arbitrary: lead }, fc.constant(7));
    const leads = fc.array(anything, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(leads, leads, async (earlier, later) => {
        tenant = await service.addTenant();
        await batch(earlier);
        const dryRunResult = await batch(later, dryRun);
        expect(withoutIds(dryRunResult)).toEqual(withoutIds(await batch(later)));
      }),
      { numRuns: rounds(6, 60), endOnFailure: true },
    );
  });
});
