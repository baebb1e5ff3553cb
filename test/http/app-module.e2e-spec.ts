import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../src/app.module.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { handOnBodies } from '../../src/core/http/server/fastify-adapter.js';
import { createLogger } from '../../src/core/http/server/logger.js';
import { addKey } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

/** The shared service prepares the database. */
const { databaseUri, addTenant } = sharedService();
let tenant: TenantApi;
let app: NestFastifyApplication;

beforeAll(async () => {
  tenant = await addTenant();
  const environment = readEnvironment({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ROLE: 'api' });
  const module = AppModule.forRoot({ environment, databaseUri, logger: createLogger(environment) });
  const adapter = new FastifyAdapter();
  handOnBodies(adapter.getInstance());
  app = await NestFactory.create(module, adapter, { logger: false, bodyParser: false });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());

async function post(url: string, headers: Record<string, string> = {}) {
  const payload = url === '/leads' ? { recordSystemId: 'alone' } : { reservationId: 'none' };
  const response = await app.inject({ method: 'POST', url, headers, payload });
  return [response.statusCode, response.json<object>()];
}

describe('AppModule without the server hooks', () => {
  it('accepts only a valid key, for callbacks also in the query', async () => {
    const revoked = await tenant.add(addKey, { revokedAt: new Date(0) });
    for (const headers of [{}, { 'api-key': 'unknown' }, { 'api-key': revoked }]) {
      expect(await post('/leads', headers)).toMatchObject([401, { error: 'Unauthorized' }]);
    }
    expect(await post('/leads', { 'api-key': tenant.key })).toMatchObject([201, { ok: true }]);
    const callback = '/reservations/webhook';
    const message = 'Access Denied, API key not provided';
    expect(await post(callback)).toEqual([401, { statusCode: 401, message }]);
    expect(await post(`${callback}?api-key=${tenant.key}`)).toMatchObject([404, {}]);
    expect((await app.inject('/healthz')).statusCode).toBe(200);
  });

  it('responds in the language of the request', async () => {
    const [, body] = await post('/leads', { language: 'ar-eg' });
    expect(JSON.stringify(body)).toMatch(/[\u0600-\u06ff]/);
  });
});
