import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { Metrics } from '../../src/core/observability/metrics.js';
import { DomainError } from '../../src/core/http/errors/domain-error.js';
import { loggedMessages } from '../../src/operator/requests/logged-messages.js';
import { MessagesService } from '../../src/core/localization/messages.service.js';
import { RequestRecorder } from '../../src/operator/requests/request-recorder.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { startConsole, type TestConsole } from '../console/console-client.js';
import { metricLines, valueIn } from '../operations/metrics-text.js';
import { addKey, addLead, addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { documentedOperations, type Operation, withValueAt } from '../support/operations.js';
import { randomDatabaseUri } from '../support/test-service.js';

const databaseUri = randomDatabaseUri();
const phone = '01198765432';

let service: TestConsole;
let second: TestConsole;
let tenant: Tenant;
beforeAll(async () => {
  service = await startConsole({ REQUEST_LOG_DAYS: '9' }, databaseUri);
  second = await startConsole({ REQUEST_LOG_DAYS: '9' }, databaseUri);
  // Their own loops would store in the middle of a test.
  for (const { app } of [service.service, second.service]) {
    await app.get(RequestRecorder).beforeApplicationShutdown();
    await app.get(UsageRecorder).beforeApplicationShutdown();
  }
  tenant = await addTenant(service.db);
});
afterAll(async () => {
  await second.stop();
  await service.stop();
});

const requestLog = () => service.db.collection('requestLog');
const unstored = async (one: TestConsole) => {
  const metrics = one.service.app.get(Metrics);
  const [waiting, lost] = ['waiting', 'lost_total'].map((name) =>
    valueIn(metrics, `request_log_${name}`),
  );
  return { waiting: await waiting, lost: await lost };
};
const recorderOf = (one: TestConsole) => one.service.app.get(RequestRecorder);
const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, key = tenant.key) =>
  service.api(method, path).set('api-key', key);
/** A key of the tenant, and what is stored of its requests, oldest first. */
const newKey = async () => {
  const key = await addKey(service.db, tenant.organizationId);
  const stored = await service.db.collection('apiKeys').findOne({ prefix: key.slice(0, 6) });
  return { key, keyId: stored?._id };
};
const logged = async (apiKeyId: unknown): Promise<Document[]> => {
  await recorderOf(service).store();
  return requestLog().find({ apiKeyId }).sort({ _id: 1 }).toArray();
};

describe('the request log', () => {
  it('stores the reason of each rejected request, without values', async () => {
    const { key, keyId } = await newKey();
    await addLead(service.db, tenant.organizationId, { data: { phoneNumber: phone } });
    const post = (body: object) => send('post', '/leads', key).send(body);
    await post({ phoneNumber: phone }).expect(400);
    await post({ email: 'nobody', name: 7 }).expect(400);
    await send('post', '/leads', key).type('json').send('{"name":').expect(400);
    await send('post', '/leads', key).type('text').send('name').expect(415);
    await post({ name: 'x'.repeat(2 ** 20) }).expect(413);
    await send('get', '/leads/unknown', key).expect(404);
    await send('get', '/units/of-mona', key).expect(404);
    await send('get', '/leads/unknown?mona@example.com=1', key).expect(400);
    await send('get', '/lead', key).expect(404);
    await send('put', '/leads', key).expect(405);
    await send('get', '/compounds', key).expect(200);
    await eventually(async () => expect(await unstored(service)).toMatchObject({ waiting: 10 }));
    const found = await logged(keyId);
    expect(found.map(({ status, errorCodes }) => [status, ...(errorCodes as string[])])).toEqual([
      [400, 'lead.duplicate_phone'],
      [400, 'validation.failed'],
      [400, 'request.malformed_json'],
      [415, 'request.unsupported_media_type'],
      [413, 'request.body_too_large'],
      [404, 'lead.not_found'],
      [404, 'unit.not_found'],
      [400, 'validation.failed'],
      [404, 'route.not_found'],
      [405, 'route.method_not_allowed'],
    ]);
    expect(found.map(({ messages }) => messages as string[])).toEqual([
      ['Duplicate Lead: Existing Lead (•••) exists. and is not assigned to anyone.'],
      expect.arrayContaining(['name must be a string', 'email must be an email']),
      ['The request body is not valid JSON in UTF-8'],
      ['The request body must be sent with Content-Type: application/json'],
      ['The request body is too large'],
      ['Lead not found'],
      ['There is no unit with slug: •••'],
      ['••• is not a known parameter'],
      ['There is no such endpoint'],
      ['The method is not allowed here'],
    ]);
    expect(found[0]).toMatchObject({
      organizationId: tenant.organizationId,
      route: 'POST /external/apis/v1.0/leads',
      ignoredFields: [],
      requestId: expect.any(String),
      durationMs: expect.any(Number),
      createdAt: expect.any(Date),
    });
  });

  it('stores ignored fields of accepted requests, and why leads of a batch were rejected', async () => {
    const { key, keyId } = await newKey();
    const requestId = `half-${Date.now()}`;
    const lead = { fullName: 'Mona', [`key${phone}`]: 1 };
    const ignoring = send('post', '/leads', key).set('x-request-id', requestId).send(lead);
    await ignoring.expect(201);
    const leads = [{ name: 'Mona' }, { name: {} }, { phoneNumber: phone }];
    await send('post', '/leads/batch', key).send({ leads }).expect(200);
    await send('post', '/leads', key).send({ name: 'Mona' }).expect(201);
    await eventually(async () => expect(await unstored(service)).toMatchObject({ waiting: 2 }));
    const found = await logged(keyId);
    expect(found).toMatchObject([
      { status: 201, errorCodes: [], messages: [], ignoredFields: ['fullName'], requestId },
      { status: 200, errorCodes: ['validation.failed', 'lead.duplicate_phone'], ignoredFields: [] },
    ]);
    const [line] = logLinesWith(service.logged(), requestId);
    expect(line).toMatchObject({ ignoredFields: ['fullName'] });
    const lines = logLinesWith(service.logged(), 'lead.duplicate_phone');
    expect(lines.at(-1)).toMatchObject({
      errorCodes: ['validation.failed', 'lead.duplicate_phone'],
    });
  });

  it('counts errors by code in a metric, and stores no request without a valid key', async () => {
    const before = await requestLog().countDocuments();
    await service.api('get', '/leads/x').expect(401);
    await recorderOf(service).store();
    expect(await requestLog().countDocuments()).toBe(before);
    await eventually(async () => {
      const text = await (await fetch(`${service.operations}/metrics`)).text();
      const counted = metricLines(text)
        .filter(({ name }) => name === 'integration_api_request_errors_total')
        .map(({ labels, value }) => [labels['code'], value]);
      expect(Object.fromEntries(counted)).toMatchObject({
        'key.missing': 1,
        'lead.not_found': 1,
        'lead.duplicate_phone': 2,
      });
    });
  });

  it('expires after REQUEST_LOG_DAYS', async () => {
    expect(await requestLog().indexes()).toContainEqual(
      expect.objectContaining({ key: { createdAt: 1 }, expireAfterSeconds: 9 * 86_400 }),
    );
  });
});

describe('leads with half of their fields ignored', () => {
  it('are shown on the overview when most leads of a partner have them', async () => {
    const { key, keyId } = await newKey();
    const post = (lead: object) => send('post', '/leads', key).send(lead).expect(201);
    const lines = async () => {
      await service.service.app.get(UsageRecorder).store();
      const { html } = await service.get('');
      const line = new RegExp(
        `Mostly ignored fields</strong>[^<]*<a href="/console/partners/${String(keyId)}`,
      );
      const reason = /In (\d+) of (\d+) accepted/.exec(html);
      return line.test(html) ? reason?.slice(1, 3) : null;
    };
    await post({ recordSystemId: `half-${key}`, fullName: 'Mona', budget: 1, name: 'Mona' });
    await post({ name: 'Mona', email: 'mona@example.com', utm: 'x' });
    await eventually(async () => expect(await lines()).toBeNull());
    await post({ fullName: 'Mona', phoneNumber: '01001234567' });
    await eventually(async () => expect(await lines()).toEqual(['2', '3']));
  });
});

describe('the request log under a flood', () => {
  it('stores 1,000 requests per key and day across processes, and counts all', async () => {
    const { key, keyId } = await newKey();
    const flood = async (from: TestConsole, count: number) => {
      for (let sent = 0; sent < count; sent += 50) {
        const requests = Array.from({ length: 50 }, () =>
          from.api('get', '/leads/none').set('api-key', key).expect(404),
        );
        await Promise.all(requests);
      }
      await eventually(async () => {
        await recorderOf(from).store();
        await from.service.app.get(UsageRecorder).store();
        expect(await unstored(from)).toEqual({ waiting: 0, lost: 0 });
      });
    };
    await flood(service, 900);
    expect(await requestLog().countDocuments({ apiKeyId: keyId })).toBe(900);
    await flood(second, 300);
    expect(await requestLog().countDocuments({ apiKeyId: keyId })).toBe(1_000);
    await flood(service, 200);
    expect(await requestLog().countDocuments({ apiKeyId: keyId })).toBe(1_000);
    const page = await service.get(`/partners/${keyId?.toHexString() ?? ''}`);
    expect(page.html).toContain('lead.not_found');
    expect(page.html).toMatch(/lead\.not_found.*1,400/);
  });
});

describe('the request log without a database', () => {
  const take = (validator: Document) =>
    service.db.command({ collMod: 'usageStats', validator, validationLevel: 'strict' });
  afterEach(() => take({}));

  it('keeps 2,000 requests, and counts further requests as lost', async () => {
    const { key, keyId } = await newKey();
    const others = await Promise.all([newKey(), newKey()]);
    await take({ isTaken: true });
    const recorder = recorderOf(service);
    const { lost = 0 } = await unstored(service);
    const record = async (of: string, count: number) => {
      for (let sent = 0; sent < count; sent += 50) {
        await Promise.all(
          Array.from({ length: 50 }, () => send('get', '/leads/none', of).expect(404)),
        );
      }
    };
    await record(key, 50);
    for (const other of others) await record(other.key, 1_000);
    const full = { waiting: 2_000, lost: lost + 50 };
    await eventually(async () => expect(await unstored(service)).toEqual(full));
    await expect(recorder.store()).rejects.toThrow('failed validation');
    expect(await unstored(service)).toEqual(full);
    await take({});
    await recorder.store();
    expect(await unstored(service)).toMatchObject({ waiting: 0 });
    expect(await requestLog().countDocuments({ apiKeyId: keyId })).toBe(50);
  });
});

const person = [phone, `mona.${phone}@example.com`, `منى ${phone}`];

/** Requests to an endpoint with a value at each place that takes one, and as a name. */
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
    const folder = 'src/core/localization/messages/en-us';
    const all = readdirSync(folder).flatMap((file) => {
      const messages = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as object;
      return Object.entries(messages).map(([name, text]) => ({
        key: `${file.replace('.json', '')}.${name}`,
        placeholders: [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, found]) => found),
      }));
    });
    expect(all.length).toBeGreaterThan(80);
    // The values that these messages have are the service's own: numbers, and names of fields.
    const own = /^(count|digits|fields?|last|limit|maximum|minimum|most|next|operation|values)$/;
    for (const { key, placeholders } of all) {
      const sent = placeholders.filter((name = '') => !own.test(name));
      const entries = sent.map((name = '') => [name, `${phone} Mona`]);
      const definition = { status: 400, code: 'x', messageKey: key, cause: '', remedy: '' };
      const values = { count: 1, ...Object.fromEntries(entries) };
      const error = new DomainError(definition, [{ key, values }]);
      const [message] = loggedMessages(error, 1).map((one) => texts.textOf(one, 'en-us'));
      expect(message).not.toMatch(new RegExp(`${phone}|Mona`));
      expect(message?.match(/•••/g) ?? []).toHaveLength(sent.length);
    }
  });

  it('is not stored for any field value or unknown field name', async () => {
    const { key, keyId } = await newKey();
    for (const operation of documentedOperations()) {
      for (const value of person) {
        for (const { path, body, header } of requestsWith(operation, value)) {
          const method = operation.method.toLowerCase() as 'get' | 'post' | 'delete';
          await send(method, path, key).set(header).send(body);
        }
      }
      // Only so many may wait.
      await recorderOf(service).store();
    }
    const found = await logged(keyId);
    expect(found.length).toBeGreaterThan(200);
    expect(new Set(found.map(({ route }) => route as string)).size).toBeGreaterThan(10);
    const told = found.map(({ requestId: _id, ...record }) => JSON.stringify(record));
    expect(told.filter((record) => /98765432|mona|منى/i.test(record))).toEqual([]);
  });
});
