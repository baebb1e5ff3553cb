import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { addCompound, addTenant, addUnit, type Tenant } from '../support/builders.js';
import { documentedOperations, withValueAt } from '../support/operations.js';
import { basePath, sharedService } from '../support/shared-service.js';
import { type BadBody, badBodies } from './bodies.js';
import { badQueries } from './queries.js';
import { badTexts } from './texts.js';

const service = sharedService();
let tenant: Tenant;

/** How many documents of each kind there are. */
let stored: number[];
const collections =
  'leads clients units reservations chequeWallets changeLogs outboxEvents counters';
const count = () => {
  const { organizationId } = tenant;
  return Promise.all(
    collections
      .split(' ')
      .map((name) => service.db.collection(name).countDocuments({ organizationId })),
  );
};

beforeAll(async () => {
  tenant = await addTenant(service.db);
  const { organizationId } = tenant;
  await addCompound(service.db, organizationId, { 'en-us': 'Lake' }, { slug: 'lake' });
  await addUnit(service.db, organizationId, { slug: 'villa' });
  stored = await count();
});
afterEach(async () => {
  // Rejected requests have written nothing; a failed test does not affect the next one.
  const before = stored;
  stored = await count();
  expect(stored).toEqual(before);
});

const post = (path: string) => service.api('post', path).set('api-key', tenant.key);
const postText = (text: string, path = '/leads') => post(path).type('json').send(text);
const badRequest = (message: unknown) => ({ statusCode: 400, message, error: 'Bad Request' });

/** As people read it: a long value by its beginning. */
const nameOf = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

describe('a request body with an invalid value', () => {
  it.each(
    badBodies.map((bad) => {
      const title = `${bad.operation}, ${bad.position || 'the body'}: ${nameOf(bad.value)}`;
      return [title, bad] as const;
    }),
  )(
    'returns 400 with its name: %s',
    async (_title, { operation, base, position, value, messages }: BadBody) => {
      const body = withValueAt(base, position === '' ? [] : position.split('.'), value);
      const response = await postText(JSON.stringify(body), operation.split(' ')[1]);
      expect({ status: response.status, body: response.body }).toEqual({
        status: 400,
        body: badRequest(expect.arrayContaining([...messages])),
      });
      expect(response.body.message).toHaveLength(messages.length);
      expect(response.headers['x-error-code']).toMatch(/^(validation|request|unit|reservation)\./);
    },
  );

  it('returns 400 for an operator object at every documented position', async () => {
    const taken: string[] = [];
    for (const { name, path, method, positions, exampleBody } of documentedOperations()) {
      // The batch endpoint reports invalid leads in its body, not by its status.
      if (method !== 'POST' || name === 'POST /leads/batch') continue;
      for (const { place, steps } of positions) {
        if (place !== 'body' || /(?:data|additionalData)$|anything/.test(steps.join('.'))) continue;
        const body = JSON.stringify(withValueAt(exampleBody, steps, { $ne: [null] }));
        const { status } = await postText(body, path);
        if (status !== 400) taken.push(`${name} ${steps.join('.')}: ${status}`);
      }
    }
    expect(taken).toEqual([]);
  });
});

describe('an unreadable request body', () => {
  it.each(badTexts.map(([text, message]) => [text.slice(0, 60), text, message]))(
    'returns 400 with the reason: %s',
    async (_name, text, message) => {
      const { status, body } = await postText(text);
      expect([status, body]).toEqual([400, badRequest(message)]);
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    },
  );

  it('returns 400 when it is not UTF-8', async () => {
    const response = await fetch(`${service.url}/${basePath}/leads`, {
      method: 'POST',
      headers: { 'api-key': tenant.key, 'content-type': 'application/json' },
      body: Buffer.from('{"data":{"name":"caf\xe9"}}', 'latin1'),
    });
    const malformed = badRequest('The request body is not valid JSON in UTF-8');
    expect([response.status, await response.json()]).toEqual([400, malformed]);
  });

  it('returns 413 above 1 MiB', async () => {
    const { status, body } = await post('/leads').send({ name: 'x'.repeat(3 * 1_048_576) });
    const message = 'The request body is too large';
    expect([status, body]).toEqual([413, { statusCode: 413, message, error: 'Payload Too Large' }]);
  });

  it.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
  ])('returns 415 as %s', async (type) => {
    const { status, body } = await post('/leads').set('content-type', type).send('{"name":"x"}');
    const message = 'The request body must be sent with Content-Type: application/json';
    expect([status, body]).toEqual([
      415,
      { statusCode: 415, message, error: 'Unsupported Media Type' },
    ]);
  });

  it('returns 400 when it is missing', async () => {
    const { body } = await post('/leads').expect(400);
    expect(body).toEqual(badRequest(['The request body must be a JSON object']));
  });

  it.each<[string, string, string]>([
    [
      '/reservations/webhook',
      '"reservationId":"x","chequeAmount":1e999',
      'The request body has a number that is out of range',
    ],
    [
      '/reservations/webhook',
      '"reservationId":"x","traceId":1e400,"__proto__":1',
      'The request body must not have the keys __proto__ or constructor.prototype',
    ],
    [
      '/reservations/webhook',
      '"reservationId":"x","traceId":1e400,"_bsontype":"x"',
      'The request body must not have the key _bsontype',
    ],
    [
      '/reservations',
      '"unit":"villa","cheques":[{"installmentId":"1","chequeAmount":9007199254740993}]',
      'cheques.0.chequeAmount must not have more than 15 significant digits',
    ],
    [
      '/units',
      '"compound":"lake","unitId":"n","price":9007199254740993',
      'price must not have more than 15 significant digits',
    ],
  ])('is rejected by %s for %s', async (path, fields, message) => {
    const { status, body } = await postText(`{${fields}}`, path);
    expect([status, [body.message].flat()]).toEqual([400, [message]]);
  });
});

describe('a query with an invalid value', () => {
  it.each(
    Object.entries(badQueries).flatMap(([path, rows]) =>
      rows.map(([query, ...messages]) => [`${path}?${query}`, messages] as const),
    ),
  )('returns 400 with its name: %s', async (path, messages) => {
    const { status, body } = await service.api('get', path).set('api-key', tenant.key);
    expect([status, body]).toEqual([400, badRequest(messages)]);
  });
});

describe('the error for an invalid value', () => {
  it('is in Arabic when requested', async () => {
    const arabic = (method: 'get' | 'post', path: string) =>
      service.api(method, path).set({ 'api-key': tenant.key, language: 'ar-eg' });
    const { body } = await arabic('post', '/leads').send({ email: 'x', name: '' }).expect(400);
    expect(body).toEqual(
      badRequest(['لا يجوز أن يكون name فارغًا', 'يجب أن يكون email بريدًا إلكترونيًا صحيحًا']),
    );
    const list = await arabic('get', '/compounds?limit=101').expect(400);
    expect(list.body.message).toEqual(['يجب ألا تتجاوز قيمة limit ‏100']);
    const callback = await arabic('post', '/reservations/webhook').send({ reservationId: 7 });
    expect(callback.body.message).toEqual(['reservationId must be a string']);
  });

  it('is returned only after the key was checked', async () => {
    await service.api('post', '/leads').send({ name: '' }).expect(401);
    await service.api('post', '/leads').set('api-key', 'wrong').send({ name: '' }).expect(401);
  });
});
