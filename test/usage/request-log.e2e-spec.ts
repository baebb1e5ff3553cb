import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { Metrics } from '../../src/core/observability/metrics.js';
import { DomainError } from '../../src/core/errors/domain-error.js';
import { maskMessages } from '../../src/operator/request-log/masked-messages.js';
import { MessagesService } from '../../src/core/localization/messages.service.js';
import type { Test } from 'supertest';
import { CallbackSignatures } from '../../src/tenants/keys/callback-signatures.js';
import { metricLines, valueIn } from '../operations/metrics-text.js';
import { addKey, addLead, addReserved, addUnit } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { messageTexts } from '../support/message-texts.js';
import { documentedOperations, type Operation, withValueAt } from '../support/operations.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri, type TestService } from '../support/test-service.js';
import { operatorOf, startRecording, store } from './usage-service.js';

const databaseUri = randomDatabaseUri();
const phone = '01198765432';

let service: TestService;
let second: TestService;
let tenant: TenantApi;
beforeAll(async () => {
  const variables = { REQUEST_LOG_DAYS: '9', OPS_PORT: '0' };
  service = await startRecording(databaseUri, variables);
  second = await startRecording(databaseUri, variables);
  tenant = await service.addTenant();
});
afterAll(async () => {
  await second.stop();
  await service.stop();
});

const bufferState = async ({ service: { app } }: TestService) => {
  const valueOf = (name: string) => valueIn(app.get(Metrics), `request_log_${name}`);
  return { waiting: await valueOf('waiting'), lost: await valueOf('lost_total') };
};
/** Adds a key and returns requests that use it. */
const newKey = async () => {
  const keyId = new ObjectId();
  const key = await tenant.add(addKey, { _id: keyId });
  return { key, keyId, ...tenant.with(key) };
};
/** Stores the buffered requests and returns those of a key, oldest first. */
const loggedBy = async (apiKeyId: ObjectId): Promise<Document[]> => {
  await store(service);
  return tenant.stored('requestLog', { apiKeyId });
};
const causesOf = async (keyId: ObjectId) => {
  await store(service);
  const { usage, requestLog } = operatorOf(service);
  return requestLog.causesOfKey(idsOf(keyId), usage.startOf('day'));
};
const idsOf = (keyId: ObjectId) => ({
  organizationId: tenant.organizationId.toHexString(),
  keyId: keyId.toHexString(),
});
/** Sends requests for a missing lead, 50 at a time. */
const sendMany = async (from: TestService, key: string, count: number) => {
  const request = () => from.api('get', '/leads/none').set('api-key', key).expect(404);
  for (let sent = 0; sent < count; sent += 50) {
    await Promise.all(Array.from({ length: 50 }, request));
  }
};

describe('the request log', () => {
  it('stores the reason of each refused request, without values', async () => {
    const { keyId, get, post, put } = await newKey();
    await tenant.add(addLead, { data: { phoneNumber: phone } });
    for (const [request, status, code, message] of [
      [
        post('/leads', { phoneNumber: phone }),
        400,
        'lead.duplicate_phone',
        'Duplicate Lead: Existing Lead (•••) exists. and is not assigned to anyone.',
      ],
      [post('/leads', { email: 'nobody' }), 400, 'validation.failed', 'email must be an email'],
      [
        post('/leads', '{"name":').type('json'),
        400,
        'request.malformed_json',
        'The request body is not valid JSON in UTF-8',
      ],
      [
        post('/leads', 'name').type('text'),
        415,
        'request.unsupported_media_type',
        'The request body must be sent with Content-Type: application/json',
      ],
      [
        post('/leads', { name: 'x'.repeat(2 ** 20) }),
        413,
        'request.body_too_large',
        'The request body is too large: send less per request',
      ],
      [get('/leads/unknown'), 404, 'lead.not_found', 'Lead not found'],
      [get('/units/of-mona'), 404, 'unit.not_found', 'There is no unit with slug: •••'],
      [
        get('/leads/unknown?mona@example.com=1'),
        400,
        'validation.failed',
        '••• is not a known parameter',
      ],
      [
        get('/events'),
        403,
        'authentication.operation_not_permitted',
        'This API key does not permit events.read',
      ],
      [get('/lead'), 404, 'route.not_found', 'No endpoint has this path: see the API reference'],
      [
        put('/leads', ''),
        405,
        'route.method_not_allowed',
        'This endpoint does not support the request method: use one of the methods in the Allow header',
      ],
    ] as const) {
      await request.expect(status);
      await eventually(async () => {
        const expected = { status, errorCodes: [code], messages: [message] };
        expect((await loggedBy(keyId)).at(-1)).toMatchObject(expected);
      });
    }
    await get('/compounds').expect(200);
    const found = await loggedBy(keyId);
    expect(found).toHaveLength(11);
    expect(found[0]).toMatchObject({
      organizationId: tenant.organizationId,
      route: 'POST /external/apis/v1.0/leads',
      ignoredFields: [],
      requestId: expect.any(String),
      durationMs: expect.any(Number),
      createdAt: expect.any(Date),
    });
  });

  it('stores ignored fields of accepted requests, and why leads of a batch were refused', async () => {
    const { keyId, post } = await newKey();
    const requestId = `half-${Date.now()}`;
    const lead = { fullName: 'Mona', [`key${phone}`]: 1 };
    await post('/leads', lead).set('x-request-id', requestId).expect(201);
    const leads = [{ name: 'Mona' }, { name: {} }, { phoneNumber: phone }];
    await post('/leads/batch', { leads }).expect(200);
    await post('/leads', { name: 'Mona' }).expect(201);
    await eventually(async () => expect(await bufferState(service)).toMatchObject({ waiting: 2 }));
    const errorCodes = ['validation.failed', 'lead.duplicate_phone'];
    expect(await loggedBy(keyId)).toMatchObject([
      { status: 201, errorCodes: [], messages: [], ignoredFields: ['fullName'], requestId },
      { status: 200, errorCodes, ignoredFields: [] },
    ]);
    const [line] = logLinesWith(service.logged(), requestId);
    expect(line).toMatchObject({ ignoredFields: ['fullName'] });
    const lines = logLinesWith(service.logged(), 'lead.duplicate_phone');
    expect(lines.at(-1)).toMatchObject({ errorCodes });
  });

  it('stores, counts and shows what accepted requests did not do', async () => {
    const { keyId, post } = await newKey();
    const unitId = await tenant.add(addUnit);
    const reservationId = (await tenant.add(addReserved, unitId)).toHexString();
    const callBack = (body: object) =>
      post('/reservations/webhook', { reservationId, ...body }).expect(201);
    // The partner has mistyped installmentId, so its report about the cheque is lost.
    const report = { installmentID: '1', cheque_status: 'collected' };
    const { headers } = await callBack(report);
    expect(headers['x-ignored-fields']).toBe('installmentID, cheque_status');
    await callBack({ installmentId: '1', chequeStatus: 'overdue' });
    await callBack({ reservationStatus: 'expired' });
    await callBack({ reservationStatus: 'canceled' });
    await callBack({ reservationStatus: 'canceled' });
    await post('/reservations/webhook', { reservationId: 'x' }).expect(404);
    await post('/leads', { project: 'Unknown' }).expect(201);
    const leads = [{ name: {} }, { project: 'Unknown' }, { project: 'Nowhere' }];
    await post('/leads/batch', { leads }).expect(200);
    await post('/leads', { project: 'Unknown', name: 1 }).expect(400);
    const [callback, unmatched] = [['callback.changed_nothing'], ['lead.project_unmatched']];
    const route = 'POST /external/apis/v1.0/reservations/webhook';
    await eventually(async () =>
      expect(await loggedBy(keyId)).toMatchObject([
        { status: 201, ignoredFields: Object.keys(report), notices: callback, route },
        { status: 201, ignoredFields: [], notices: callback, route },
        { status: 201, ignoredFields: [], notices: callback, route },
        { status: 404, notices: [] },
        { status: 201, notices: unmatched, messages: [], errorCodes: [] },
        { status: 200, notices: unmatched, errorCodes: ['validation.failed'] },
        { status: 400, notices: [] },
      ]),
    );
    const lines = metricLines(await service.service.app.get(Metrics).text());
    const counted = lines
      .filter(({ name }) => name === 'integration_api_request_notices_total')
      .map(({ labels, value }) => [labels['code'], value]);
    const expected = { 'callback.changed_nothing': 3, 'lead.project_unmatched': 2 };
    expect(Object.fromEntries(counted)).toEqual(expected);
    expect(await causesOf(keyId)).toMatchObject([
      { code: 'callback.changed_nothing', kind: 'notice', count: 3 },
      { code: 'lead.project_unmatched', kind: 'notice', count: 2 },
      { code: 'validation.failed', kind: 'error', count: 2 },
      { code: 'fields.ignored', kind: 'ignored', ignoredFields: Object.keys(report).toSorted() },
      { code: 'reservation.not_found', kind: 'error', count: 1 },
    ]);
  });

  it('notes a callback that a replay answers only once', async () => {
    const { keyId, post } = await newKey();
    const reservationId = await tenant.add(addReserved, await tenant.add(addUnit));
    for (let time = 0; time < 2; time++) {
      const sent = post('/reservations/webhook', { reservationId });
      await sent.set('idempotency-key', `once-${reservationId.toHexString()}`).expect(201);
    }
    const notices = ['callback.changed_nothing'];
    await eventually(async () => expect(await loggedBy(keyId)).toMatchObject([{ notices }]));
  });

  it('counts errors by code in a metric, but stores no request without a valid key', async () => {
    const before = await tenant.count('requestLog');
    await service.api('get', '/leads/x').expect(401);
    await eventually(async () => {
      const lines = metricLines(await service.service.app.get(Metrics).text());
      const counted = lines
        .filter(({ name }) => name === 'integration_api_request_errors_total')
        .map(({ labels, value }) => [labels['code'], value]);
      const expected = { 'key.missing': 1, 'lead.not_found': 1, 'lead.duplicate_phone': 2 };
      expect(Object.fromEntries(counted)).toMatchObject(expected);
    });
    await store(service);
    expect(await service.db.collection('requestLog').countDocuments()).toBe(before);
  });

  it('expires after REQUEST_LOG_DAYS', async () => {
    expect(await service.db.collection('requestLog').indexes()).toContainEqual(
      expect.objectContaining({ key: { createdAt: 1 }, expireAfterSeconds: 9 * 86_400 }),
    );
  });
});

type Sender = ReturnType<TenantApi['with']>;

describe('a refused request', () => {
  const permissions = {
    allowExternal: true,
    operations: ['leads.write', 'leads.read', 'reservations.callback'],
  };
  const callback = '/reservations/webhook';

  it.each<[number, string, (send: Sender) => Test]>([
    [400, 'request.malformed_json', ({ post }) => post('/leads', '{"name":').type('json')],
    [400, 'validation.failed', ({ post }) => post('/leads', { email: 'nobody' })],
    [400, 'request.malformed', ({ get }) => get('/leads/%E0%A4%A')],
    [401, 'key.signature_missing', ({ post }) => post(callback, { reservationId: 'x' })],
    [401, 'key.signature_mismatch', ({ post }) => signed(post(callback, { reservationId: 'x' }))],
    [403, 'authentication.operation_not_permitted', ({ get }) => get('/units')],
    [404, 'lead.not_found', ({ get }) => get('/leads/unknown')],
    [404, 'route.not_found', ({ get }) => get('/nowhere')],
    [405, 'route.method_not_allowed', ({ put }) => put('/leads')],
    [413, 'request.body_too_large', ({ post }) => post('/leads', { name: 'x'.repeat(2 ** 20) })],
    [414, 'request.path_too_long', ({ get }) => get(`/leads/${'x'.repeat(2_100)}`)],
    [415, 'request.unsupported_media_type', ({ post }) => post('/leads', 'x').type('text')],
  ])('%d %s is found by its request id, first use of the key or not', async (...row) => {
    const [status, code, send] = row;
    const keyId = new ObjectId();
    const secrets = code.includes('signature') ? sealedSecrets(keyId) : null;
    const key = await tenant.add(addKey, { _id: keyId, permissions, secrets });
    for (let time = 0; time < 2; time++) {
      const { headers } = await send(tenant.with(key)).expect(status);
      await expectLogged(headers['x-request-id'] as string, keyId, status, code);
    }
  });

  it.each<[string, object]>([
    ['revoked', { revokedAt: new Date(0) }],
    ['expired', { expiresAt: new Date(0) }],
  ])('of a key that is %s is found by its request id', async (_title, fields) => {
    const keyId = new ObjectId();
    const key = await tenant.add(addKey, { _id: keyId, ...fields });
    const { headers } = await tenant.with(key).get('/units').expect(401);
    await expectLogged(headers['x-request-id'] as string, keyId, 401, 'key.invalid');
  });

  it('with 429 is found by its request id', async () => {
    const rateLimit = { rps: 1, burst: 1 };
    const limitedId = new ObjectId();
    const limited = tenant.with(await tenant.add(addKey, { _id: limitedId, rateLimit }));
    await limited.get('/key').expect(200);
    const { headers } = await limited.get('/key').expect(429);
    const requestId = headers['x-request-id'] as string;
    await expectLogged(requestId, limitedId, 429, 'request.rate_limited');
  });

  it('with 503 is found by its request id', async () => {
    const hasty = await startRecording(databaseUri, { DATABASE_DEADLINE_MS: '2000' });
    const { keyId, key } = await newKey();
    const get = (path: string) => hasty.api('get', path).set('api-key', key);
    await get('/key').expect(200);
    const namespace = `${service.db.databaseName}.leads`;
    const data = { failCommands: ['find', 'aggregate'], namespace, errorCode: 11_600 };
    const fail = (mode: string) =>
      service.db.admin().command({ configureFailPoint: 'failCommand', mode, data });
    await fail('alwaysOn');
    const { headers } = await get('/leads/unknown').expect(503);
    await fail('off');
    const requestId = headers['x-request-id'] as string;
    await expectLogged(requestId, keyId, 503, 'server.unavailable', hasty);
    await hasty.stop();
  });

  it('is listed by code and time, and explained with its newest example', async () => {
    const { keyId, get, post } = await newKey();
    const begin = new Date();
    await get('/leads/first').expect(404);
    const { headers } = await get('/leads/second').expect(404);
    await post('/leads', { name: 'Mona', fullName: 'Mona' }).expect(201);
    await post('/leads', { name: 'Mona', project: 'Unknown' }).expect(201);
    await eventually(async () => expect(await loggedBy(keyId)).toHaveLength(4));
    const { requestLog } = operatorOf(service);
    const list = async (filter: object) =>
      (await requestLog.listOfKey(idsOf(keyId), filter, { limit: 9 })).items;
    for (const code of ['lead.not_found', 'lead.project_unmatched', 'fields.ignored'] as const) {
      const count = code === 'lead.not_found' ? 2 : 1;
      expect(await list({ code, since: begin })).toHaveLength(count);
      expect(await list({ code, until: begin })).toHaveLength(0);
    }
    const [cause, ...others] = await causesOf(keyId);
    expect(cause).toMatchObject({
      code: 'lead.not_found',
      kind: 'error',
      count: 2,
      lastAt: expect.any(Date),
      example: { requestId: headers['x-request-id'], route: expect.stringContaining('GET ') },
      meaning: expect.any(String),
      remedy: expect.any(String),
    });
    expect(others).toMatchObject([
      { code: 'fields.ignored', kind: 'ignored', count: 1, ignoredFields: ['fullName'] },
      { code: 'lead.project_unmatched', kind: 'notice', meaning: expect.any(String) },
    ]);
  });

  const sealedSecrets = (keyId: ObjectId) => {
    const signatures = service.service.app.get(CallbackSignatures);
    return [signatures.seal(keyId, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', new Date())];
  };
  const signed = (request: Test) =>
    request.set({
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': 'v1,AAAA',
    });
  const expectLogged = async (
    requestId: string,
    keyId: ObjectId,
    status: number,
    code: string,
    from = service,
  ): Promise<void> =>
    eventually(async () => {
      await store(from);
      expect(await operatorOf(service).requestLog.findByRequestId(requestId)).toMatchObject([
        { ...idsOf(keyId), requestId, status, errorCodes: [code] },
      ]);
    });
});

it('usage counts accepted leads and those of which most fields are ignored', async () => {
  const { key, keyId, post } = await newKey();
  const lead = { recordSystemId: `half-${key}`, fullName: 'Mona', budget: 1, name: 'Mona' };
  await post('/leads', lead).expect(201);
  await post('/leads', { name: 'Mona', email: 'mona@example.com', utm: 'x' }).expect(201);
  await post('/leads', { fullName: 'Mona', phoneNumber: '01001234567' }).expect(201);
  await post('/leads', { fullName: 1, phoneNumber: 1 }).expect(400);
  await eventually(async () => {
    await store(service);
    const keys = await operatorOf(service).usage.keys(operatorOf(service).usage.startOf('day'));
    const expected = { leads: 3, mostlyIgnored: 2 };
    expect(keys.find((one) => one.keyId === keyId.toHexString())).toMatchObject(expected);
  });
});

it('the request log stores 1,000 requests per key and day across processes, and counts all', async () => {
  const { key, keyId: apiKeyId } = await newKey();
  for (const [from, count, stored] of [
    [service, 900, 900],
    [second, 300, 1_000],
    [service, 200, 1_000],
  ] as const) {
    await sendMany(from, key, count);
    await eventually(async () => {
      await store(from);
      expect(await bufferState(from)).toEqual({ waiting: 0, lost: 0 });
    });
    expect(await tenant.count('requestLog', { apiKeyId })).toBe(stored);
  }
  expect(await causesOf(apiKeyId)).toMatchObject([{ code: 'lead.not_found', count: 1_400 }]);
});

describe('the request log without a database', () => {
  const setFailPoint = (mode: string) => {
    const namespace = `${service.db.databaseName}.requestLog`;
    const data = { failCommands: ['aggregate'], namespace, errorCode: 8 };
    return service.db.admin().command({ configureFailPoint: 'failCommand', mode, data });
  };
  afterEach(() => setFailPoint('off'));

  it('keeps 2,000 requests, and counts further requests as lost', async () => {
    const { key, keyId: apiKeyId } = await newKey();
    await setFailPoint('alwaysOn');
    const { lost = 0 } = await bufferState(service);
    await sendMany(service, key, 50);
    for (let other = 0; other < 2; other++) await sendMany(service, (await newKey()).key, 1_000);
    const full = { waiting: 2_000, lost: lost + 50 };
    await eventually(async () => expect(await bufferState(service)).toEqual(full));
    await expect(store(service)).rejects.toThrow('failCommand');
    expect(await bufferState(service)).toEqual(full);
    await setFailPoint('off');
    await store(service);
    expect(await bufferState(service)).toMatchObject({ waiting: 0 });
    expect(await tenant.count('requestLog', { apiKeyId })).toBe(50);
  });
});

const person = [phone, `mona.${phone}@example.com`, `منى ${phone}`];

/** Builds requests with the value in each place that accepts one, and as a field or parameter name. */
function requestsWith({ path, positions, hasBody, exampleBody }: Operation, value: string) {
  const text = encodeURIComponent(value);
  const to = path.replaceAll(/\{\w+\}/g, text);
  const body = hasBody ? exampleBody : undefined;
  const usual = { path: to, body, header: {} };
  const at = positions.flatMap(({ place, steps }) => {
    const [name = ''] = steps;
    if (place === 'query') return [{ ...usual, path: `${to}?${name}=${text}` }];
    if (place === 'header' && /^[ -~]*$/.test(value))
      return [{ ...usual, header: { [name]: value } }];
    if (place !== 'body') return [usual];
    const changed = withValueAt(exampleBody, steps, value) as object;
    return [{ ...usual, body: { ...changed, [value]: value } }];
  });
  return [{ ...usual, path: `${to}?${text}=${text}` }, ...at];
}

describe('personal data in the request log', () => {
  it('is removed from every message for all placeholder values', () => {
    const texts = service.service.app.get(MessagesService);
    const all = Object.entries(messageTexts['en-us']).map(([key, text]) => ({
      key,
      placeholders: [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, found]) => found),
    }));
    expect(all.length).toBeGreaterThan(80);
    // The service itself sets these placeholders to numbers and field names.
    const own = /^(count|digits|fields?|last|limit|maximum|minimum|most|next|operation|values)$/;
    for (const { key, placeholders } of all) {
      const sent = placeholders.filter((name = '') => !own.test(name));
      const entries = sent.map((name = '') => [name, `${phone} Mona`]);
      const definition = { status: 400, code: 'x', messageKey: key, cause: '', remedy: '' };
      const values = { count: 1, ...Object.fromEntries(entries) };
      const error = new DomainError(definition, [{ key, values }]);
      const [message] = maskMessages(error, 1).map((one) => texts.textOf(one, 'en-us'));
      expect(message).not.toMatch(new RegExp(`${phone}|Mona`));
      expect(message?.match(/•••/g) ?? []).toHaveLength(sent.length);
    }
  });

  it('is not stored for any field value or unknown field name', async () => {
    const { key, keyId } = await newKey();
    for (const operation of documentedOperations()) {
      const method = operation.method.toLowerCase() as 'get' | 'post' | 'delete';
      for (const { path, body, header } of person.flatMap((one) => requestsWith(operation, one))) {
        await service
          .api(method, path)
          .set({ 'api-key': key, ...header })
          .send(body);
      }
      // The buffer holds at most 2,000 requests.
      await store(service);
    }
    const found = await loggedBy(keyId);
    expect(found.length).toBeGreaterThan(200);
    expect(new Set(found.map(({ route }) => route as string)).size).toBeGreaterThan(10);
    const records = found.map(({ requestId: _id, ...record }) => JSON.stringify(record));
    expect(records.filter((record) => /98765432|mona|منى/i.test(record))).toEqual([]);
  });
});
