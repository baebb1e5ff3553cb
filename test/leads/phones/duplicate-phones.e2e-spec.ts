import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addLead, addTenant, addUser, type Tenant } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();

const post = (tenant: Tenant, body: object) =>
  service.api('post', '/leads').set('api-key', tenant.key).send(body);
const errorBody = (...messages: string[]) => ({
  statusCode: 400,
  message: messages,
  error: 'Bad Request',
});
const taken = (phone: string | number, owner = 'not assigned to anyone') =>
  `Duplicate Lead: Existing Lead (${phone}) exists. and is ${owner}.`;
const counts = async (tenant: Tenant) =>
  Promise.all(
    ['leads', 'clients', 'changeLogs', 'outboxEvents'].map((name) =>
      service.db.collection(name).countDocuments({ organizationId: tenant.organizationId }),
    ),
  );

describe('the duplicate check of phones', () => {
  it('rejects a phone of another lead with the exact message, and stores nothing', async () => {
    const tenant = await addTenant(service.db);
    await post(tenant, { phoneNumber: '01001234567' }).expect(201);
    const before = await counts(tenant);
    const { body } = await post(tenant, { recordSystemId: 'x', phoneNumber: '01001234567' }).expect(
      400,
    );
    expect(body).toEqual(errorBody(taken('01001234567')));
    expect(await counts(tenant)).toEqual(before);
  });

  it.each(['0020 100-123-4567', '+٢٠ ١٠٠ ١٢٣ ٤٥٦٧', 1_001_234_567])(
    'rejects a number that is also spelled %p, in either order',
    async (spelling) => {
      const [one, two] = [await addTenant(service.db), await addTenant(service.db)];
      await post(one, { phoneNumber: '01001234567' }).expect(201);
      const first = await post(one, { data: { phoneNumber: spelling } }).expect(400);
      expect(first.body).toEqual(errorBody(taken(spelling)));
      await post(two, { data: { phoneNumber: spelling } }).expect(201);
      await post(two, { phoneNumber: '01001234567' }).expect(400);
    },
  );

  it('compares both phones of both leads', async () => {
    const tenant = await addTenant(service.db);
    await post(tenant, { phoneNumber: '01000000001', phoneNumber2: '01000000002' }).expect(201);
    const crossed = { phoneNumber: '01000000002', phoneNumber2: '01000000001' };
    const { body } = await post(tenant, crossed).expect(400);
    expect(body.message).toEqual([taken('01000000002'), taken('01000000001')]);
    await post(tenant, { phoneNumber: '01000000003', phoneNumber2: '01000000001' }).expect(400);
  });

  it.each(['', null, 'N/A', '-', '0', 'none', 'ext. 1234', 0, 1234, true])(
    'stores %p unchecked because it is no phone',
    async (phoneNumber) => {
      const tenant = await addTenant(service.db, { settings: {} });
      const leads = [];
      for (const name of ['Mona', 'Hany']) {
        const { body } = await post(tenant, { data: { name, phoneNumber } }).expect(201);
        expect(body.lead.data).toEqual({ name, phoneNumber });
        leads.push(body.lead.clientId);
      }
      expect(new Set(leads).size).toBe(2);
    },
  );

  it('rejects an update and keeps the lead unchanged', async () => {
    const tenant = await addTenant(service.db);
    await post(tenant, { phoneNumber: '01000000001' }).expect(201);
    await post(tenant, { recordSystemId: 'b', name: 'B' }).expect(201);
    const before = await counts(tenant);
    await post(tenant, { recordSystemId: 'b', name: 'C', phoneNumber2: '01000000001' }).expect(400);
    expect(await counts(tenant)).toEqual(before);
    const { body } = await service.api('get', '/leads/b').set('api-key', tenant.key);
    expect(body.lead.data).toEqual({ name: 'B' });
  });

  it('returns the name of the user of the other lead', async () => {
    const tenant = await addTenant(service.db);
    const assignedToId = await addUser(service.db, tenant.organizationId, 'Hany $t(x) {phone}');
    const data = { phoneNumber: '01000000001' };
    await addLead(service.db, tenant.organizationId, { data, assignedToId });
    const { body } = await post(tenant, data).expect(400);
    expect(body).toEqual(errorBody(taken('01000000001', 'assigned to Hany $t(x) {phone}')));
  });

  it('returns the message in the language of the request', async () => {
    const tenant = await addTenant(service.db);
    await post(tenant, { phoneNumber: '01000000001' }).expect(201);
    const { body } = await post(tenant, { phoneNumber: '01000000001' }).set('language', 'ar-eg');
    expect(body).toEqual(
      errorBody('عميل محتمل مكرر: يوجد عميل محتمل (01000000001) غير مسند إلى أحد.'),
    );
  });

  it('accepts phones of deleted leads and other organizations', async () => {
    const [tenant, other] = [await addTenant(service.db), await addTenant(service.db)];
    await post(tenant, { recordSystemId: 'a', phoneNumber: '01000000001' }).expect(201);
    await post(other, { phoneNumber: '01000000001' }).expect(201);
    await service.api('delete', '/leads/a').set('api-key', tenant.key).expect(200);
    await post(tenant, { phoneNumber: '01000000001' }).expect(201);
  });
});

describe('the duplicate check of leads from another program', () => {
  const usual = [
    '01001234567',
    '+201001234567',
    '010 01234567',
    '+20 10 01234567',
    201_001_234_567,
  ];

  it.each(usual)('rejects a number spelled %p immediately', async (phoneNumber) => {
    const tenant = await addTenant(service.db);
    await addLead(service.db, tenant.organizationId, { data: { phoneNumber2: phoneNumber } });
    await post(tenant, { phoneNumber: '0020 100 123 4567' }).expect(400);
  });

  it('accepts a phone when the stored value has another type', async () => {
    const tenant = await addTenant(service.db);
    const data = { phoneNumber: { number: '01000000001' }, phoneNumber2: [new ObjectId()] };
    await addLead(service.db, tenant.organizationId, { data });
    await post(tenant, { phoneNumber: '01000000001' }).expect(201);
  });
});
