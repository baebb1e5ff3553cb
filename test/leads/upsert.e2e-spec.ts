import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService();
  tenant = await addTenant(service.db);
});
afterAll(() => service.stop());

describe('POST /leads', () => {
  it('creates a lead from flat fields and data, of which data wins', async () => {
    const response = await service
      .api('post', '/leads')
      .set('api-key', tenant.key)
      .send({
        recordSystemId: 'mixed-1',
        name: 'Flat',
        email: 'flat@example.com',
        data: { name: 'Nested', budget: 5_000_000 },
        additionalData: { utm: { source: 'x' } },
      });
    expect(response.body).toMatchObject({ ok: true, operation: 'create' });
    expect(response.status).toBe(201);
  });
});
