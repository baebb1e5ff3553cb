import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { sharedInstances } from '../support/instances.js';
import { isFull, rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import { post as postKeyed, settled } from '../idempotency/keyed-requests.js';

const service = sharedService();
const instances = sharedInstances();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await addTenant(service.db);
});

interface Result {
  readonly index: number;
  readonly statusCode: number;
  readonly operation?: string;
  readonly lead?: Readonly<Record<string, unknown>> & { readonly leadId: number | null };
  readonly message?: unknown;
  readonly error?: string;
  readonly errorCode?: string;
}

interface Batch {
  readonly ok: boolean;
  readonly created: number;
  readonly updated: number;
  readonly refused: number;
  readonly results: readonly Result[];
}

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
  it('makes of each lead what a request of its own makes, in their order', async () => {
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

  it('refuses what is no lead with the messages that a request of its own gets', async () => {
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

  it('takes 1 to 100 leads', async () => {
    const { results, created } = await batch(Array.from({ length: 100 }, () => ({})));
    expect(created).toBe(100);
    expect(results.map(({ lead }) => lead?.leadId)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    for (const [body, message] of [
      [{ leads: Array.from({ length: 101 }, () => ({})) }, /100/],
      [{ leads: [] }, /leads must not be empty/],
      [{ leads: {} }, /leads must be an array/],
      [{}, /leads must be an array/],
      [{ leads: [{}], dryRun: 'yes' }, /dryRun/],
      [{ leads: [{}], dryrun: true }, /dryrun/],
    ] as const) {
      const response = await send(body).expect(400);
      expect(response.headers['x-error-code']).toBe('validation.failed');
      expect(response.body.message.join('\n')).toMatch(message);
    }
    expect(await count('leads')).toBe(100);
  });

  it('names what it ignores of a lead', async () => {
    const { headers } = await send({ leads: [{ phone: '1' }, { data: { phone: '1' }, x: 1 }] });
    expect(headers['x-ignored-fields']).toBe('leads.0.phone, leads.1.x');
  });

  it('takes "batch" for an external id as any other', async () => {
    await batch([{ recordSystemId: 'batch', name: 'Mona' }]);
    for (const method of ['get', 'delete'] as const) {
      const { body } = await service
        .api(method, '/leads/batch')
        .set('api-key', tenant.key)
        .expect(200);
      expect(body.lead.data).toEqual({ name: 'Mona' });
    }
  });

  it('refuses leads that follow more than one response should show', async () => {
    const { organizationId } = tenant;
    const large = ['one', 'two', 'three', 'four', 'five'];
    const data = { text: 'x'.repeat(3_900_000) };
    await service.db
      .collection('leads')
      .insertMany(
        large.map((recordSystemId) => ({ ...conventions(organizationId), recordSystemId, data })),
      );
    // Together the database does not send the leads: what comes first is decided first.
    const first = [{ recordSystemId: 'new' }, {}, { recordSystemId: 'new', name: 'Mona' }];
    const leads = [...first, ...large.map((recordSystemId) => ({ recordSystemId, name: 'x' })), {}];
    // In the short form the dry run is left to the test that compares random ones.
    const rehearsed = isFull ? await batch(leads, { dryRun: true }) : null;
    const real = await batch(leads);
    expect(real.results.map(({ statusCode }) => statusCode)).toEqual([
      201, 201, 200, 200, 200, 200, 413, 413, 413,
    ]);
    // A transaction that is repeated takes new numbers.
    const [one = 0, two, again] = real.results.map(({ lead }) => lead?.leadId ?? 0);
    expect([two, again]).toEqual([one + 1, one]);
    expect(real.results[6]).toEqual({
      index: 6,
      statusCode: 413,
      message: [expect.stringContaining('another batch')],
      error: 'Payload Too Large',
      errorCode: 'lead.batch_full',
    });
    // Without pages of text where it fails.
    if (rehearsed !== null) expect(withoutIds(rehearsed) === withoutIds(real)).toBe(true);
  });
});

describe('a dry run', () => {
  it('stores, sends and numbers nothing', async () => {
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

  it('says what the same batch then does', async () => {
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
      { numRuns: rounds(10, 60), endOnFailure: true },
    );
  });
});

describe('a batch with an Idempotency-Key', () => {
  const leads = [{ name: 'Mona' }, { email: 'nobody' }, { name: 'Adel' }];

  it('is done once, and its answer repeated', async () => {
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

  it('is done once by two instances that get it at the same time', async () => {
    const request = { path: '/leads/batch', apiKey: tenant.key, key: randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, turn) =>
        settled({ ...request, url: instances.url(turn), body: { leads } }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await count('leads')).toBe(2);
  });
});

describe('two instances', () => {
  it('that get the same leads at the same time create each once', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `lead ${index}`);
    const leads = ids.map((recordSystemId, index) => ({
      recordSystemId,
      phoneNumber: `0100000${String(1000 + index)}`,
    }));
    const answers = await Promise.all(
      [0, 1, 2, 3].map((turn) =>
        settled({
          url: instances.url(turn),
          path: '/leads/batch',
          apiKey: tenant.key,
          key: null,
          body: { leads: turn < 2 ? leads : leads.toReversed() },
        }),
      ),
    );
    const bodies = answers.map(({ text }) => JSON.parse(text) as Batch);
    expect(bodies.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    // One transaction each: whoever comes first creates all.
    expect(bodies.map(({ created }) => created).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 40]);
    expect([await count('leads'), await count('clients')]).toEqual([40, 40]);
  });
});

/** With names for ids, in the order of their first appearance, and without times and numbers. */
function withoutIds({ results, ...counts }: Batch): string {
  const names = new Map<string, string>();
  const text = JSON.stringify(results, (field, value: unknown) =>
    /At$|^leadId$/.test(field) ? undefined : value,
  );
  const named = text.replaceAll(/\b[0-9a-f]{24}\b/g, (id) => {
    if (!names.has(id)) names.set(id, `id ${names.size}`);
    return names.get(id) ?? '';
  });
  return `${JSON.stringify(counts)} ${named}`;
}
