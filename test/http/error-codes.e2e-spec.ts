import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { addTenant, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

type Method = 'get' | 'post';
const send = (method: Method, path: string) =>
  service.api(method, path).set('api-key', tenant.key).set('language', 'ar-eg');
const json = (body: string) => send('post', '/leads').type('json').send(body);
const reservation = { unit: 'none', status: 'approved' };

describe('x-error-code', () => {
  it.each<[number, string, () => request.Test]>([
    [401, 'key.missing', () => service.api('get', '/leads/none')],
    [401, 'key.invalid', () => send('get', '/leads/none').set('api-key', 'nope')],
    [401, 'key.missing', () => service.api('get', '/compounds')],
    [401, 'key.missing', () => service.api('post', '/reservations/webhook').send({})],
    [404, 'route.not_found', () => request(service.url).get('/nowhere')],
    [404, 'lead.not_found', () => send('get', '/leads/none')],
    [404, 'unit.not_found', () => send('get', '/units/none')],
    [404, 'compound.not_found', () => send('get', '/compounds/none/units')],
    [404, 'reservation.unit_not_found', () => send('post', '/reservations').send(reservation)],
    [400, 'request.malformed', () => send('get', '/leads/%zz')],
    [400, 'request.malformed_json', () => json('{')],
    [400, 'request.body_not_object', () => json('[]')],
    [400, 'request.json_too_deep', () => json(`${'['.repeat(40)}${']'.repeat(40)}`)],
    [400, 'request.inexact_integer', () => json('{"a":12345678901234567891}')],
    [400, 'lead.inexact_number', () => json('{"data":{"a":0.12345678901234567891}}')],
    [400, 'validation.failed', () => json('{"name":1}')],
    [400, 'validation.failed', () => send('get', '/units?colour=red')],
    [400, 'unit.id_required', () => send('post', '/units').send({})],
    [400, 'unit.unknown_name', () => send('post', '/units').send({ unitId: 'a', compound: 'x' })],
    [413, 'request.body_too_large', () => json(JSON.stringify({ name: 'x'.repeat(1_100_000) }))],
    [414, 'request.path_too_long', () => send('get', `/leads/${'x'.repeat(3_000)}`)],
    [415, 'request.unsupported_media_type', () => send('post', '/leads').type('form').send('a=b')],
    [431, 'request.headers_too_large', () => send('get', '/leads/a').set('x', 'x'.repeat(20_000))],
  ])('for status %i is %s', async (status, code, make) => {
    const response = await make();
    expect([response.status, response.headers['x-error-code']]).toEqual([status, code]);
  });

  it('is absent from successful responses', async () => {
    const { headers } = await send('get', '/units').expect(200);
    expect(headers).not.toHaveProperty('x-error-code');
  });
});
