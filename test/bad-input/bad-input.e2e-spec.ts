import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { addCompound, addUnit, mayReadEvents } from '../support/builders.js';
import { documentedOperations, withValueAt } from '../support/operations.js';
import { basePath, sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { type Refusal, refusals } from './refusals.js';

const service = sharedService();
let tenant: TenantApi;

let storedCounts: number[];
const collections =
  'leads clients units reservations chequeWallets changeLogs outboxEvents counters';
const countDocuments = () => Promise.all(collections.split(' ').map((name) => tenant.count(name)));

beforeAll(async () => {
  tenant = await service.addTenant({ key: mayReadEvents });
  await tenant.add(addCompound, { 'en-us': 'Lake' }, { slug: 'lake' });
  await tenant.add(addUnit, { slug: 'villa' });
  storedCounts = await countDocuments();
});
afterEach(async () => {
  // Compares with the counts of the previous test, so that one failure does not cause others.
  const before = storedCounts;
  storedCounts = await countDocuments();
  expect(storedCounts).toEqual(before);
});

const post = (text: string, path = '/leads') => tenant.post(path).type('json').send(text);
const badRequest = (message: unknown) => ({ statusCode: 400, message, error: 'Bad Request' });

describe('a request with an invalid body or query', () => {
  it.each(
    refusals.map((refusal) => {
      const { method, path, body = '', message } = refusal;
      const start = [...body].slice(0, 60).join('');
      return [`${method} ${path} ${start}: ${[message].flat().join()}`, refusal] as const;
    }),
  )('returns 400 for %s', async (_title, { method, path, body, message }: Refusal) => {
    const response = await (method === 'get' ? tenant.get(path) : post(body ?? '', path));
    const inAnyOrder = (messages: readonly string[]) => [...messages].toSorted();
    const { message: actual } = response.body as { message: string | string[] };
    const isList = typeof message !== 'string' && Array.isArray(actual);
    expect([response.status, response.body, isList ? inAnyOrder(actual) : actual]).toEqual([
      400,
      badRequest(actual),
      isList ? inAnyOrder(message) : message,
    ]);
    const code = /^(validation|request|unit|reservation|units|catalogue)\./;
    expect(response.headers['x-error-code']).toMatch(code);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('returns 400 for a MongoDB operator at every documented position', async () => {
    const accepted: string[] = [];
    for (const { name, path, method, positions, exampleBody } of documentedOperations()) {
      // The batch endpoint reports invalid leads in its body, not by its status.
      if (method !== 'POST' || name === 'POST /leads/batch') continue;
      for (const { place, steps } of positions) {
        if (place !== 'body' || /(?:data|additionalData)$|anything/.test(steps.join('.'))) continue;
        const body = JSON.stringify(withValueAt(exampleBody, steps, { $ne: [null] }));
        const { status } = await post(body, path);
        if (status !== 400) accepted.push(`${name} ${steps.join('.')}: ${status}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('returns 400 when the body is not UTF-8', async () => {
    const response = await fetch(`${service.url}/${basePath}/leads`, {
      method: 'POST',
      headers: { 'api-key': tenant.key, 'content-type': 'application/json' },
      body: Buffer.from('{"data":{"name":"caf\xe9"}}', 'latin1'),
    });
    const malformed = badRequest('The request body is not valid JSON in UTF-8');
    expect([response.status, await response.json()]).toEqual([400, malformed]);
  });

  it('returns 400 when the body is missing', async () => {
    const { body } = await tenant.post('/leads').expect(400);
    expect(body).toEqual(badRequest(['The request body must be a JSON object']));
  });

  it('returns 413 when the body is above 1 MiB', async () => {
    const { status, body } = await tenant.post('/leads', { name: 'x'.repeat(3 * 1_048_576) });
    const message = 'The request body is too large: send less per request';
    expect([status, body]).toEqual([413, { statusCode: 413, message, error: 'Payload Too Large' }]);
  });

  it.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])('returns 415 when the body is sent as %s', async (type) => {
    const sent = tenant.post('/leads').set('content-type', type).send('{"name":"x"}');
    expect((await sent.expect(415)).body).toEqual({
      statusCode: 415,
      message: 'The request body must be sent with Content-Type: application/json',
      error: 'Unsupported Media Type',
    });
  });

  it('returns its messages in Arabic when requested', async () => {
    const messagesOf = async (sent: ReturnType<TenantApi['get']>) =>
      ((await sent.set('language', 'ar-eg').expect(400)).body as { message: unknown }).message;
    const lead = { email: 'x', name: '' };
    const inArabic = ['لا يجوز أن يكون name فارغًا', 'يجب أن يكون email بريدًا إلكترونيًا صحيحًا'];
    expect(await messagesOf(tenant.post('/leads', lead))).toEqual(inArabic);
    const list = await messagesOf(tenant.get('/compounds?limit=101'));
    expect(list).toEqual(['يجب ألا تتجاوز قيمة limit ‏100']);
    const callback = await messagesOf(tenant.post('/reservations/webhook', { reservationId: 7 }));
    expect(callback).toEqual(['reservationId must be a string']);
  });
});
