import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../src/app.module.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { createLogger } from '../../src/core/http/server/logger.js';
import { addKey, addTenant, type Tenant } from '../support/builders.js';
import { startTestService, type TestService } from '../support/test-service.js';

/** Another application in the process, for the database. */
let service: TestService;
let tenant: Tenant;
let app: NestFastifyApplication;

beforeAll(async () => {
  service = await startTestService();
  const { databaseUri } = service;
  tenant = await addTenant(service.db);
  const environment = readEnvironment({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ROLE: 'api' });
  app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot({ environment, databaseUri, logger: createLogger(environment) }),
    new FastifyAdapter(),
    { logger: false },
  );
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

/** The response to a request with a lead. */
async function post(headers: Record<string, string>) {
  const payload = { recordSystemId: 'alone', name: 'Mona' };
  const response = await app.inject({ method: 'POST', url: '/leads', headers, payload });
  return { status: response.statusCode, body: response.json<object>() };
}

describe('AppModule without the server hooks', () => {
  it('accepts a valid key', async () => {
    const { status, body } = await post({ 'api-key': tenant.key });
    expect([status, body]).toMatchObject([201, { ok: true, operation: 'create' }]);
    expect((await post({ 'api-key': tenant.key })).status).toBe(200);
  });

  it('returns 401 before the handler for any other key', async () => {
    const revoked = await addKey(service.db, tenant.organizationId, { revokedAt: new Date(0) });
    for (const headers of [{}, { 'api-key': 'unknown' }, { 'api-key': revoked }]) {
      const { status, body } = await post(headers);
      expect([status, body]).toMatchObject([401, { statusCode: 401, error: 'Unauthorized' }]);
    }
  });

  it('responds in the language of the request', async () => {
    const { body } = await post({ language: 'ar-eg' });
    expect(JSON.stringify(body)).toMatch(/[\u0600-\u06ff]/);
  });

  it('accepts the key of a callback in the query', async () => {
    const payload = { reservationId: 'none' };
    const url = '/reservations/webhook';
    const sent = { method: 'POST', url: `${url}?api-key=${tenant.key}`, payload } as const;
    expect((await app.inject(sent)).statusCode).toBe(404);
    expect((await app.inject({ ...sent, url })).json()).toEqual({
      statusCode: 401,
      message: 'Access Denied, API key not provided',
    });
  });

  it('returns the health without a key', async () => {
    expect((await app.inject('/healthz')).statusCode).toBe(200);
  });
});
