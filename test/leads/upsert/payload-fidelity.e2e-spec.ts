import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { range } from '../../support/counting.js';
import { isAccepted, payload, wideText } from '../payloads.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeAll(async () => {
  tenant = await service.addTenant();
});

/** Numbers as other programs write them: any number of digits, with or without fraction and exponent. */
const numberText = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,30}$/)),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^[.][0-9]{1,30}$/)),
    exponent: fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][-+]?[0-9]{1,4}$/)),
  })
  .map(({ sign, whole, fraction, exponent }) => `${sign}${whole}${fraction}${exponent}`);

/** The largest double stands for what overflows: JSON has no infinity. */
function storedText(sent: string): string {
  const isInteger = /^-?\d+$/.test(sent);
  if (isInteger && BigInt.asIntN(64, BigInt(sent)) === BigInt(sent)) return BigInt(sent).toString();
  const nearest = Math.max(-Number.MAX_VALUE, Math.min(Number(sent), Number.MAX_VALUE));
  return JSON.stringify(nearest);
}

/** Sends a string of JSON unchanged. */
const postText = (text: string, path = '/leads') =>
  tenant.post(path).set('content-type', 'application/json').send(text);

/** Returns the value after a round trip through JSON. */
const throughJson = (sent: object) => JSON.parse(JSON.stringify(sent)) as object;

describe('POST /leads with data and additionalData', () => {
  it('returns them exactly as sent, merged by top-level key', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(payload, payload, payload, async (data, additionalData, later) => {
        fc.pre(isAccepted(JSON.stringify({ ...data, ...later })));
        const recordSystemId = `fidelity-${number++}`;
        const sent = { recordSystemId, data, additionalData };
        const created = await postText(JSON.stringify(sent)).expect(201);
        await postText(JSON.stringify({ recordSystemId, data: later })).expect(200);
        const read = await tenant.get(`/leads/${recordSystemId}`).expect(200);
        const { lead } = JSON.parse(read.text) as { lead: Record<string, unknown> };
        expect(JSON.parse(created.text).lead.data).toEqual(throughJson(data));
        expect(lead['data']).toEqual({ ...throughJson(data), ...throughJson(later) });
        expect(lead['additionalData']).toEqual(throughJson(additionalData));
      }),
      { numRuns: rounds(8, 150) },
    );
  });

  it('returns them exactly as sent when requests share a transaction, and in a batch', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(wideText, wideText, wideText, async (data, additionalData, later) => {
        const fields = `"data":${data},"additionalData":${additionalData}`;
        const ids = range(6).map(() => `together-${number++}`);
        const leads = ids.map((id) => `{"recordSystemId":"${id}",${fields}}`);
        const [first = '', ...others] = leads;
        // The first one runs alone while the others gather.
        await Promise.all([first, ...others.slice(0, 3)].map((lead) => postText(lead).expect(201)));
        const updates = ids.map((id) => `{"recordSystemId":"${id}","additionalData":${later}}`);
        await Promise.all(updates.slice(0, 3).map((lead) => postText(lead).expect(200)));
        await postText(
          `{"leads":[${[...others.slice(3), updates[3]].join()}]}`,
          '/leads/batch',
        ).expect(200);
        const merged = { ...JSON.parse(additionalData), ...JSON.parse(later) } as object;
        for (const [index, id] of ids.entries()) {
          const { text } = await tenant.get(`/leads/${id}`).expect(200);
          const { lead } = JSON.parse(text) as { lead: Record<string, unknown> };
          expect(text).toContain('"wide":[9223372036854775807,-9223372036854775808]');
          expect(lead['data']).toEqual(JSON.parse(data));
          expect(lead['additionalData']).toEqual(index < 4 ? merged : JSON.parse(additionalData));
        }
      }),
      { numRuns: rounds(8, 150) },
    );
  });

  it.each(['data', 'additionalData'])(
    'refuses $ref from one request and $id from another in %s, and keeps the lead',
    async (field) => {
      const recordSystemId = `reference-${field}`;
      const read = async () => (await tenant.get(`/leads/${recordSystemId}`).expect(200)).text;
      await tenant.post('/leads', { recordSystemId, [field]: { $ref: 'shop.users', x: 1 } });
      const before = await read();
      const later = { recordSystemId, name: 'Mona', [field]: { $id: 7 } };
      const { body } = await tenant.post('/leads', later).expect(400);
      const message = [`${field} of the lead would contain both keys $ref and $id`];
      expect(body).toEqual({ statusCode: 400, message, error: 'Bad Request' });
      expect(await read()).toBe(before);
    },
  );

  it('stores a number with too many digits as the nearest double, and 64-bit integers exactly', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(numberText, { minLength: 1, maxLength: 20 }), async (texts) => {
        const id = `digits-${number++}`;
        const list = `[${texts.join()}]`;
        const lead = `{"recordSystemId":"${id}","data":{"n":${list}},"additionalData":{"n":${list}}}`;
        await postText(lead).expect(201);
        // An equal request changes nothing, also in a batch.
        await postText(`{"leads":[${lead}]}`, '/leads/batch').expect(200);
        const { text } = await tenant.get(`/leads/${id}`).expect(200);
        const stored = texts.map(storedText).join();
        expect(text).toContain(`"data":{"n":[${stored}]},"additionalData":{"n":[${stored}]}`);
        expect((await tenant.stored('changeLogs')).at(-1)).toMatchObject({ changes: [] });
      }),
      { numRuns: rounds(10, 200) },
    );
  });

  it('keeps integers of up to 64 bits exact in responses, history and events', async () => {
    const ids =
      '{"max":9223372036854775807,"min":-9223372036854775808,"list":[12345678901234567,' +
      '{"id":-9007199254740993}],"small":[1,-0.5,9007199254740991,1000000000000000000]}';
    const data = `"data":{"leadSource":123456789012345678,"ids":${ids}},"additionalData":${ids}`;
    const text = `{"recordSystemId":"long",${data}}`;
    expect((await postText(text).expect(201)).text).toContain(data);
    await postText(text).expect(200);
    expect((await tenant.get('/leads/long')).text).toContain(data);
    const entries = (await tenant.stored('changeLogs')).slice(-2);
    expect(entries.map(({ changes }) => (changes as unknown[]).length)).toEqual([6, 0]);
    const event = await tenant.storedOne('outboxEvents', { 'data.recordSystemId': 'long' });
    expect(String(event['data'].data.leadSource)).toBe('123456789012345678');
    expect(String(event['data'].additionalData.min)).toBe('-9223372036854775808');
  });
});
