import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../../support/builders.js';
import { basePath, sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});
afterEach(async () => {
  // Every request of this file is rejected, and what is rejected has written nothing.
  const ours = { organizationId: { $in: [tenant.organizationId, null] } };
  for (const collection of ['leads', 'clients', 'changeLogs', 'outboxEvents', 'counters']) {
    expect(await service.db.collection(collection).countDocuments(ours)).toBe(0);
  }
});

const request = () => service.api('post', '/leads').set('api-key', tenant.key);
const post = (body: unknown) => request().send(body as object);
const postText = (text: string, type = 'application/json') =>
  request().set('content-type', type).send(text);
const badRequest = (message: string | string[]) => ({
  statusCode: 400,
  message,
  error: 'Bad Request',
});

describe('wrong fields', () => {
  const flat = ['recordSystemId', 'name', 'phoneNumber', 'phoneNumber2', 'project'];
  const notTexts: [string, unknown][] = [
    ['null', null],
    ['a number', 7],
    ['a boolean', true],
    ['an array', ['x']],
    ['an operator', { $ne: null }],
    ['an object with a constructor', { constructor: 'x' }],
  ];

  it.each(flat)('%s has to be a text', async (field) => {
    for (const [, value] of notTexts) {
      const { body } = await post({ [field]: value }).expect(400);
      expect(body).toEqual(badRequest([`${field} must be a string`]));
    }
  });

  it.each(flat)('%s must not be empty', async (field) => {
    const { body } = await post({ [field]: '' }).expect(400);
    expect(body).toEqual(badRequest([`${field} should not be empty`]));
  });

  it.each(['', 'x', 'a@b', 'a@@b.com', 'a b@example.com', null, 7, { $gt: '' }])(
    'email %p is no email',
    async (email) => {
      const { body } = await post({ email }).expect(400);
      expect(body).toEqual(badRequest(['email must be an email']));
    },
  );

  it('email is reported once when it is wrong in two places', async () => {
    const { body } = await post({ email: 'x', data: { email: 'y' } }).expect(400);
    expect(body).toEqual(badRequest(['email must be an email']));
  });

  it('data.email has to be valid unless it is empty', async () => {
    const { body } = await post({ data: { email: 'nope' } }).expect(400);
    expect(body).toEqual(badRequest(['email must be an email']));
  });

  it.each(['data', 'additionalData'])('%s has to be an object', async (field) => {
    for (const value of ['null', '[]', '"x"', '1', 'true', '12345678901234567']) {
      const { body } = await postText(`{"${field}":${value}}`).expect(400);
      expect(body).toEqual(badRequest([`${field} must be an object`]));
    }
  });

  it.each(['name', 'email', 'project', 'leadSource', 'phoneNumber', 'phoneNumber2'])(
    'data.%s has to be a text, a number, a boolean or null',
    async (key) => {
      for (const value of [[], ['01000000001'], { $ne: null }]) {
        const { body } = await post({ data: { [key]: value } }).expect(400);
        const message = `data.${key} must be a string, a number, a boolean or null`;
        expect(body).toEqual(badRequest([message]));
      }
    },
  );

  it('are all reported together', async () => {
    const { body } = await post({ name: '', email: 'x', data: [], additionalData: 1 }).expect(400);
    expect(body).toEqual(
      badRequest([
        'data must be an object',
        'additionalData must be an object',
        'name should not be empty',
        'email must be an email',
      ]),
    );
  });

  it('are named in Arabic when asked', async () => {
    const { body } = await post({ email: 'x', name: '' }).set('language', 'ar-eg').expect(400);
    expect(body).toEqual(
      badRequest(['لا يجوز أن يكون name فارغًا', 'يجب أن يكون email بريدًا إلكترونيًا صحيحًا']),
    );
  });

  it('recordSystemId must not have a null character', async () => {
    const { body } = await post({ recordSystemId: 'a\0b' }).expect(400);
    expect(body).toEqual(
      badRequest(['recordSystemId must not have a null character or a broken character']),
    );
  });

  it('recordSystemId must not be longer than a path can carry', async () => {
    for (const character of ['x', '🏠']) {
      const { body } = await post({ recordSystemId: character.repeat(1_025) }).expect(400);
      expect(body).toEqual(badRequest(['recordSystemId must not be longer than 1024 characters']));
    }
  });
});

describe('unreadable bodies', () => {
  const malformed = badRequest('The request body is not valid JSON in UTF-8');
  const noObject = badRequest(['The request body must be a JSON object']);

  it.each(['{"name":', '{name: 1}', '', ' ', '{"a":1}{"b":2}', '\ufeff', '{"a":NaN}'])(
    '%j is no JSON',
    async (text) => expect((await postText(text).expect(400)).body).toEqual(malformed),
  );

  it('are rejected when they are not UTF-8', async () => {
    const response = await fetch(`${service.url}/${basePath}/leads`, {
      method: 'POST',
      headers: { 'api-key': tenant.key, 'content-type': 'application/json' },
      body: Buffer.from('{"data":{"name":"caf\xe9"}}', 'latin1'),
    });
    expect([response.status, await response.json()]).toEqual([400, malformed]);
  });

  it.each(['null', '[]', '[{"name":"x"}]', '"text"', '7', 'true'])(
    '%s is no object',
    async (text) => expect((await postText(text).expect(400)).body).toEqual(noObject),
  );

  it.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"data":{"__proto__":{"a":1}}}',
    '{"data":{"a":[{"__proto__":null}]}}',
    '{"data":{"constructor":{"prototype":{"a":1}}}}',
    '{"data":{"\\u005f_proto__":{"a":1}}}',
  ])('%s would change a prototype', async (text) => {
    const { body } = await postText(text).expect(400);
    expect(body).toEqual(
      badRequest('The request body must not have the keys __proto__ or constructor.prototype'),
    );
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it.each([
    '{"data":{"a\\u0000b":1}}',
    '{"additionalData":{"x":[{"\\ud800":1}]}}',
    '{"\\u0000":1}',
  ])('%s has a key that cannot be stored', async (text) => {
    const { body } = await postText(text).expect(400);
    expect(body).toEqual(
      badRequest('The request body has a key with a null character or a broken character'),
    );
  });

  it('must not have a key that the database driver takes for its own', async () => {
    const { body } = await post({ data: { a: { _bsontype: 'ObjectId' } } }).expect(400);
    expect(body).toEqual(badRequest('The request body must not have the key _bsontype'));
  });

  it('must not have what the database driver takes for a reference', async () => {
    const { body } = await post({ data: { link: { $ref: 'shop.users', $id: 1 } } }).expect(400);
    expect(body).toEqual(
      badRequest('The request body must not have an object with both keys $ref and $id'),
    );
  });

  it.each([
    '{"recordSystemId":"a\\ud83d"}',
    '{"name":"\\udc00"}',
    '{"data":{"a":[{"b":"x\\ud800"}]}}',
  ])('%s has half a surrogate pair', async (text) => {
    const { body } = await postText(text).expect(400);
    expect(body).toEqual(badRequest('The request body has a text with a broken character'));
  });

  it.each(['12345678901234567891', '9223372036854775808', '-9223372036854775809'])(
    'must not have the integer %s, which would come back changed',
    async (number) => {
      const { body } = await postText(`{"data":{"ids":[1,{"id":${number}}]}}`).expect(400);
      expect(body).toEqual(
        badRequest(
          `The request body has the integer ${number}, which is too large to be kept exactly: ` +
            'send it as a string',
        ),
      );
    },
  );

  it('must not have a number beyond the range of a double', async () => {
    const { body } = await postText('{"data":{"n":1e999}}').expect(400);
    expect(body).toEqual(badRequest('The request body has a number that is out of range'));
  });

  it.each([
    ['objects', 33, '{"a":', '}'],
    ['arrays', 33, '[', ']'],
    ['objects', 200, '{"a":', '}'],
    ['arrays', 100_000, '[', ']'],
  ])('%s nested %i deep are rejected', async (_, depth, open, close) => {
    const value = `${open.repeat(depth - 1)}1${close.repeat(depth - 1)}`;
    const { body } = await postText(`{"data":${value}}`).expect(400);
    expect(body).toEqual(badRequest('The request body must not be nested deeper than 32 levels'));
  });

  it('are rejected above 1 MiB', async () => {
    const response = await post({ data: { text: 'x'.repeat(3 * 1_048_576) } });
    expect(response.body).toEqual({
      statusCode: 413,
      message: 'The request body is too large',
      error: 'Payload Too Large',
    });
  });

  it.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
  ])('sent as %s are rejected', async (type) => {
    const { body } = await postText('{"name":"x"}', type).expect(415);
    expect(body).toEqual({
      statusCode: 415,
      message: 'The request body must be sent with Content-Type: application/json',
      error: 'Unsupported Media Type',
    });
  });

  it('are asked for when there is none', async () => {
    expect((await request().expect(400)).body).toEqual(noObject);
  });
});

describe('the order of checks', () => {
  it('puts the key before the content', async () => {
    await service.api('post', '/leads').send({ name: '' }).expect(401);
    await service.api('post', '/leads').set('api-key', 'wrong').send({ name: '' }).expect(401);
  });
});
