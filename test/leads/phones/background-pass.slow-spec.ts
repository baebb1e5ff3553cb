import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { Document, WithId } from 'mongodb';
import { LeadPhoneKeys } from '../../../src/leads/phones/lead-phone-keys.js';
import { addLead, addTenant, type Tenant } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import {
  randomDatabaseUri,
  startTestService,
  type TestService,
} from '../../support/test-service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
});
afterAll(() => service.stop());

const post = (tenant: Tenant, body: object) =>
  service.api('post', '/leads').set('api-key', tenant.key).send(body);

describe('the duplicate check of phones from another program', () => {
  it('rejects any spelling after the background pass', async () => {
    const tenant = await addTenant(service.db);
    const data = { phoneNumber: '(+20) 100.123.4567' };
    await addLead(service.db, tenant.organizationId, { data });
    await service.service.app.get(LeadPhoneKeys).run();
    await post(tenant, { phoneNumber: '01001234567' }).expect(400);
  });

  it('compares the current phone, not an outdated key', async () => {
    const tenant = await addTenant(service.db);
    await post(tenant, { recordSystemId: 'moved', phoneNumber: '01000000001' }).expect(201);
    await service.db
      .collection('leads')
      .updateOne(
        { recordSystemId: 'moved', organizationId: tenant.organizationId },
        { $set: { 'data.phoneNumber': '(+20) 100.000.0002', updatedAt: new Date() } },
      );
    await post(tenant, { phoneNumber: '01000000001' }).expect(201);
    await service.service.app.get(LeadPhoneKeys).run();
    await post(tenant, { phoneNumber: '01000000002' }).expect(400);
  });

  it('rejects any spelling after a pass over more than a thousand organizations', async () => {
    const tenant = await addTenant(service.db);
    const { _id: _, ...organization } = (await service.db
      .collection('organizations')
      .findOne({ _id: tenant.organizationId })) as WithId<Document>;
    const others = range(1_100).map((index) => ({
      ...organization,
      apiDomain: `others-${index}.example.com`,
      settings: { phoneCountry: index % 2 ? 'EG' : 'SA' },
    }));
    await service.db.collection('organizations').insertMany(others);
    const data = { phoneNumber: '(+20) 100.123.4569' };
    await addLead(service.db, tenant.organizationId, { data });
    await service.service.app.get(LeadPhoneKeys).run();
    await post(tenant, { phoneNumber: '01001234569' }).expect(400);
  });
});
