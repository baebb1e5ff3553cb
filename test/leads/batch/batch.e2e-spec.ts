import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addTenant, type Tenant } from '../../support/builders.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';
import { type Batch, withoutIds } from './batch-results.js';
import { post as postKeyed } from '../../idempotency/keyed-requests.js';

const service = sharedService();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await addTenant(service.db);
});

const send = (body: object, key = tenant.key) =>
  service.api('post', '/leads/batch').set('api-key', key).send(body);

async function batch(leads: readonly unknown[], others: object = {}, key = tenant.key) {
  const { body } = await send({ leads, ...others }, key).expect(200);
  return body as Batch;
}

const count = (collection: string, { organizationId } = tenant) =>
  service.db.collection(collection).countDocuments({ organizationId });

/** How many documents of each kind there are, and the last number that was given out. */
async function stored() {
  const { organizationId } = tenant;
  const counter = await service.db.collection('counters').findOne({ organizationId });
  const kinds = ['leads', 'clients', 'changeLogs', 'outboxEvents', 'transactionLocks'];
  return [counter, ...(await Promise.all(kinds.map((kind) => count(kind))))];
}

describe('POST /leads/batch', () => {
  it('upserts each lead as a single request would, in order', async () => {
    const body = await batch([
      { recordSystemId: 'a', name: 'Mona', phoneNumber: '01000000001' },
      { recordSystemId: 'b', phoneNumber: '+20 100 000 0001' },
      { recordSystemId: 'a', name: 'Mona El Sayed', phoneNumber: '01000000002' },
      { recordSystemId: 'b', phoneNumber: '01000000001' },
      { name: 'without an id' },
    ]);
    expect(body).toMatchObject({
      ok: false,
      created: 3,
      updated: 1,
      refused: 1,
      results: [
        { index: 0, statusCode: 201, operation: 'create', lead: { leadId: 1 } },
        {
          index: 1,
          statusCode: 400,
          message: [expect.stringContaining('+20 100 000 0001')],
          error: 'Bad Request',
          errorCode: 'lead.duplicate_phone',
        },
        {
          index: 2,
          statusCode: 200,
          operation: 'update',
          lead: { leadId: 1, data: { name: 'Mona El Sayed', phoneNumber: '01000000002' } },
        },
        { index: 3, statusCode: 201, operation: 'create', lead: { leadId: 2 } },
        { index: 4, statusCode: 201, operation: 'create', lead: { leadId: 3 } },
      ],
    });
    const { body: read } = await service
      .api('get', '/leads/a')
      .set('api-key', tenant.key)
      .expect(200);
    expect(read.lead).toEqual(body.results[2]?.lead);
    const { organizationId } = tenant;
    const events = await service.db
      .collection('outboxEvents')
      .find({ organizationId, type: /^lead\./ })
      .sort({ _id: 1 })
      .toArray();
    expect(events.map(({ type, data }) => [type, data.leadId])).toEqual([
      ['lead.created', 1],
      ['lead.updated', 1],
      ['lead.created', 2],
      ['lead.created', 3],
    ]);
    const changes = { organizationId, entity: 'Lead' };
    expect([
      await count('leads'),
      await service.db.collection('changeLogs').countDocuments(changes),
    ]).toEqual([3, 4]);
  });

  it('rejects an invalid lead with the messages of a single request', async () => {
    const leads = [
      { recordSystemId: 'a', email: 'nobody', name: '' },
      'text',
      null,
      [{ recordSystemId: 'b' }],
      { recordSystemId: 'c' },
      { data: { name: { $gt: '' } } },
    ];
    for (const language of ['en-us', 'ar-eg']) {
      const { body } = await send({ leads, dryRun: true }).set('language', language).expect(200);
      for (const [index, lead] of leads.entries()) {
        if (index === 4) continue;
        const alone = await service
          .api('post', '/leads')
          .set({ 'api-key': tenant.key, language, 'content-type': 'application/json' })
          .send(JSON.stringify(lead))
          .expect(400);
        const errorCode = alone.headers['x-error-code'];
        expect(body.results[index]).toEqual({ index, ...alone.body, errorCode });
      }
      expect(body).toMatchObject({ ok: false, created: 1, updated: 0, refused: 5 });
    }
    expect(await batch([1])).toMatchObject({ ok: false, created: 0, refused: 1 });
  });

  it('accepts 100 leads and numbers them in order', async () => {
    const { results, created } = await batch(Array.from({ length: 100 }, () => ({})));
    expect(created).toBe(100);
    expect(results.map(({ lead }) => lead?.leadId)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect(await count('leads')).toBe(100);
  });

  it('returns the ignored fields of leads in x-ignored-fields', async () => {
    const { headers } = await send({ leads: [{ phone: '1' }, { data: { phone: '1' }, x: 1 }] });
    expect(headers['x-ignored-fields']).toBe('leads.0.phone, leads.1.x');
  });

  it('accepts "batch" as an external id', async () => {
    await batch([{ recordSystemId: 'batch', name: 'Mona' }]);
    for (const method of ['get', 'delete'] as const) {
      const { body } = await service
        .api(method, '/leads/batch')
        .set('api-key', tenant.key)
        .expect(200);
      expect(body.lead.data).toEqual({ name: 'Mona' });
    }
  });

  it('rejects leads deeper than 32 levels', async () => {
    const lead = (depth: number) => {
      const [open, close] = ['{"data":', '}'].map((part) => part.repeat(depth - 1));
      return JSON.parse(`${open}{}${close}`) as object;
    };
    const { results } = await batch([lead(32)]);
    expect(results.map(({ statusCode }) => statusCode)).toEqual([201]);
    const deeper = await send({ leads: [lead(33)] }).expect(400);
    expect(deeper.headers['x-error-code']).toBe('request.json_too_deep');
  });
});

describe('POST /leads/batch with dryRun', () => {
  it('stores and sends nothing, and uses no numbers', async () => {
    await batch([{ recordSystemId: 'a', name: 'Mona', phoneNumber: '01000000001' }]);
    const before = await stored();
    const leads = [
      { recordSystemId: 'a', name: 'Mona El Sayed' },
      { recordSystemId: 'b', phoneNumber: '01000000002' },
      { recordSystemId: 'b', name: 'Adel' },
      { phoneNumber: '01000000001' },
    ];
    const { results } = await batch(leads, { dryRun: true });
    expect(results).toMatchObject([
      { statusCode: 200, lead: { leadId: 1, data: { name: 'Mona El Sayed' } } },
      { statusCode: 201, lead: { leadId: null } },
      { statusCode: 200, lead: { leadId: null, data: { name: 'Adel' } } },
      { statusCode: 400, errorCode: 'lead.duplicate_phone' },
    ]);
    expect(await stored()).toEqual(before);
  });

  it('does not wait for a transaction that locks the same records', async () => {
    const { organizationId } = tenant;
    await batch([{ recordSystemId: 'a', phoneNumber: '01000000001' }]);
    const session = service.db.client.startSession();
    session.startTransaction();
    for (const collection of ['leads', 'clients', 'transactionLocks', 'counters']) {
      const held = { $set: { heldBy: 'another program' } };
      await service.db.collection(collection).updateMany({ organizationId }, held, { session });
    }
    const leads = [{ recordSystemId: 'a', name: 'Mona' }, { phoneNumber: '01000000002' }];
    expect(await batch(leads, { dryRun: true })).toMatchObject({ created: 1, updated: 1 });
    await session.abortTransaction();
    await session.endSession();
  });

  it('returns the result that the same batch has without dryRun', async () => {
    const phone = fc.constantFrom('01000000001', '+20 100 000 0001', '01000000002', '-');
    const contact = {
      name: fc.constantFrom('Mona', 'Adel', ''),
      email: fc.constantFrom('one@example.com', 'ONE@example.com', 'two@example.com', 'none'),
      phoneNumber: phone,
      phoneNumber2: phone,
    };
    const lead = fc.record(
      {
        recordSystemId: fc.constantFrom('a', 'b', 'c'),
        ...contact,
        data: fc.record(contact, { requiredKeys: [] }),
        additionalData: fc.dictionary(fc.constantFrom('x', '$ref', '$id'), fc.nat(2), {
          maxKeys: 1,
        }),
      },
      { requiredKeys: [] },
    );
    const leads = fc.array(fc.oneof({ weight: 9, arbitrary: lead }, fc.constant(7)), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(leads, leads, async (earlier, later) => {
        const { key } = await addTenant(service.db);
        await batch(earlier, {}, key);
        const rehearsed = await batch(later, { dryRun: true }, key);
        const real = await batch(later, {}, key);
        expect(withoutIds(rehearsed)).toEqual(withoutIds(real));
      }),
      { numRuns: rounds(6, 60), endOnFailure: true },
    );
  });
});

describe('POST /leads/batch with an Idempotency-Key', () => {
  const leads = [{ name: 'Mona' }, { email: 'nobody' }, { name: 'Adel' }];

  it('stores the leads once and replays the response', async () => {
    for (const body of [{ leads }, { leads, dryRun: true }, { leads: [7] }]) {
      const request = { url: service.url, path: '/leads/batch', apiKey: tenant.key, body };
      const keyed = { ...request, key: randomUUID() };
      const first = await postKeyed(keyed);
      const second = await postKeyed(keyed);
      expect(first).toMatchObject({ status: 200, isReplayed: false });
      expect(second).toEqual({ ...first, isReplayed: true });
    }
    expect(await count('leads')).toBe(2);
  });
});
