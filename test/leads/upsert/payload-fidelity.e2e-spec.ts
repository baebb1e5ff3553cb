import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addTenant, type Tenant } from '../../support/builders.js';
import { rounds } from '../../support/rounds.js';
import { basePath, sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

/** Keys that mean something to MongoDB, its driver, mongoose, class-transformer or JavaScript. */
const notableKeys = [
  '$set $ref $where $ne $or $id $db $oid $date $numberLong a.b .a a. . $ $$ROOT _id __v id constructor',
  'prototype hasOwnProperty toString valueOf toJSON toBSON toObject then length name $__ isNew',
  '$isMongooseMap $isMongooseArray isMongooseObject schema data additionalData 0 -1 سعر 🏠',
]
  .join(' ')
  .split(' ');

const key = fc.oneof(
  fc.constantFrom(...notableKeys),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\0')),
);
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, '', 0, 1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53) + 1, 1e300, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('2026-01-01T00:00:00Z', '6740b1f2c3d4e5f607182930', '$where', '\0', 'ZZZZ'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));
const known = new Set(['name', 'email', 'phoneNumber', 'phoneNumber2', 'project', 'leadSource']);
const rejectedKeys = [['__proto__'], ['$ref', '$id'], ['constructor', 'prototype']];
const isAccepted = (text: string) =>
  !rejectedKeys.some((keys) => keys.every((name) => text.includes(JSON.stringify(name))));
const payload = fc
  .dictionary(
    key.filter((name) => !known.has(name)),
    value,
    { maxKeys: 6 },
  )
  .filter((data) => isAccepted(JSON.stringify(data)));

async function send(method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}/${basePath}${path}`, {
    method,
    headers: {
      'api-key': tenant.key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** A JSON text as its receiver sees it. */
const arbitraryPayload = (sent: unknown) => JSON.parse(JSON.stringify(sent)) as unknown;

describe('data and additionalData of POST /leads', () => {
  it('are returned exactly as sent, and merged by top-level key', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(payload, payload, payload, async (data, additionalData, later) => {
        fc.pre(isAccepted(JSON.stringify({ ...data, ...later })));
        const recordSystemId = `fidelity-${number++}`;
        const created = await send('POST', '/leads', { recordSystemId, data, additionalData });
        expect(created).toMatchObject({ status: 201 });
        const updated = await send('POST', '/leads', { recordSystemId, data: later });
        expect(updated).toMatchObject({ status: 200 });
        const read = await send('GET', `/leads/${recordSystemId}`);
        const { lead } = JSON.parse(read.text) as { lead: Record<string, unknown> };
        expect(JSON.parse(created.text).lead.data).toEqual(arbitraryPayload(data));
        expect(lead['data']).toEqual({
          ...(arbitraryPayload(data) as object),
          ...(arbitraryPayload(later) as object),
        });
        expect(lead['additionalData']).toEqual(arbitraryPayload(additionalData));
      }),
      { numRuns: rounds(8, 150) },
    );
  });

  it.each(['data', 'additionalData'])(
    'reject $ref from one request and $id from another in %s',
    async (field) => {
      const recordSystemId = `reference-${field}`;
      const reference = { $ref: 'shop.users', x: 1 };
      await send('POST', '/leads', {
        recordSystemId,
        phoneNumber: '01000000077',
        [field]: reference,
      });
      const before = await send('GET', `/leads/${recordSystemId}`);
      const later = { recordSystemId, name: 'Mona', [field]: { $id: 7 } };
      const { status, text } = await send('POST', '/leads', later);
      expect([status, JSON.parse(text)]).toEqual([
        400,
        {
          statusCode: 400,
          message: [`${field} of the lead would have both keys $ref and $id`],
          error: 'Bad Request',
        },
      ]);
      expect(await send('GET', `/leads/${recordSystemId}`)).toEqual(before);
      expect((await send('POST', '/leads', { phoneNumber: '01000000077' })).status).toBe(400);
      await send('DELETE', `/leads/${recordSystemId}`);
    },
  );

  it.each([
    ['/leads', '{"recordSystemId":"inexact","data":{"rate":-0.12345678901234567891}}'],
    ['/leads/batch', '{"leads":[{},{"additionalData":{"a":[-0.12345678901234567891]}}]}'],
  ])('reject a number that a double would round (%s)', async (path, body) => {
    const organization = await addTenant(service.db);
    const response = await service
      .api('post', path)
      .set({ 'api-key': organization.key, 'content-type': 'application/json' })
      .send(body)
      .expect(400);
    expect(response.headers['x-error-code']).toBe('lead.inexact_number');
    expect(response.body.message).toBe(
      'The request body has the number -0.12345678901234567891, which cannot be stored exactly: ' +
        'round it, or send it as a string',
    );
    const { organizationId } = organization;
    expect(await service.db.collection('leads').countDocuments({ organizationId })).toBe(0);
  });

  it('keep integers of up to 64 bits exact in responses, history and events', async () => {
    const ids =
      '{"max":9223372036854775807,"min":-9223372036854775808,"list":[12345678901234567,' +
      '{"id":-9007199254740993}],"small":[1,-0.5,9007199254740991,1000000000000000000]}';
    const body = `{"recordSystemId":"long","data":{"leadSource":123456789012345678,"ids":${ids}},"additionalData":${ids}}`;
    const post = async () => {
      const headers = { 'api-key': tenant.key, 'content-type': 'application/json' };
      const url = `${service.url}/${basePath}/leads`;
      const response = await fetch(url, { method: 'POST', headers, body });
      return { status: response.status, text: await response.text() };
    };
    const data = `"data":{"leadSource":123456789012345678,"ids":${ids}},"additionalData":${ids}`;
    const created = await post();
    expect(created.status).toBe(201);
    expect(created.text).toContain(data);
    expect((await post()).status).toBe(200);
    expect((await send('GET', '/leads/long')).text).toContain(data);
    const { organizationId } = tenant;
    const entries = await service.db
      .collection('changeLogs')
      .find({ organizationId }, { sort: { _id: -1 }, limit: 2 })
      .toArray();
    expect(entries.map(({ changes }) => changes.length)).toEqual([0, 6]);
    const event = await service.db
      .collection('outboxEvents')
      .findOne({ organizationId, 'data.recordSystemId': 'long' });
    expect(String(event?.['data'].data.leadSource)).toBe('123456789012345678');
    expect(String(event?.['data'].additionalData.min)).toBe('-9223372036854775808');
  });
});
