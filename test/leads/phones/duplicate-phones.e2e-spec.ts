import { beforeEach, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addLead, addUser, conventions } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeEach(async () => {
  tenant = await service.addTenant();
});

const post = (body: object) => tenant.post('/leads', body);
const duplicate = (phone: string | number, owner = 'not assigned to anyone') =>
  `Duplicate Lead: Existing Lead (${phone}) exists. and is ${owner}.`;
const rejection = (...message: string[]) => ({ statusCode: 400, message, error: 'Bad Request' });
const kinds = ['leads', 'clients', 'changeLogs', 'outboxEvents'];
const storedDocuments = () => Promise.all(kinds.map((kind) => tenant.stored(kind)));

describe('POST /leads with a phone of another lead', () => {
  it.each(['01001234567', '0020 100-123-4567', '+٢٠ ١٠٠ ١٢٣ ٤٥٦٧', 1_001_234_567])(
    'returns 400 with the exact message for %p, in either order, and stores nothing',
    async (phoneNumber) => {
      await post({ phoneNumber: '01001234567' }).expect(201);
      await post({ recordSystemId: 'b', name: 'B' }).expect(201);
      const before = await storedDocuments();
      for (const update of [{}, { recordSystemId: 'b', name: 'C' }]) {
        const { body } = await post({ ...update, data: { phoneNumber } }).expect(400);
        expect(body).toEqual(rejection(duplicate(phoneNumber)));
      }
      expect(await storedDocuments()).toEqual(before);
      tenant = await service.addTenant();
      await post({ data: { phoneNumber } }).expect(201);
      await post({ phoneNumber: '01001234567' }).expect(400);
    },
  );

  it('returns 400 for each phone that either field of another lead has', async () => {
    await post({ phoneNumber: '01000000001', phoneNumber2: '01000000002' }).expect(201);
    const crossed = { phoneNumber: '01000000002', phoneNumber2: '01000000001' };
    const { body } = await post(crossed).expect(400);
    expect(body.message).toEqual([duplicate('01000000002'), duplicate('01000000001')]);
    await post({ phoneNumber: '01000000003', phoneNumber2: '01000000001' }).expect(400);
  });

  it('names the user of the other lead, and responds in the language of the request', async () => {
    const assignedToId = await tenant.add(addUser, 'Hany $t(x) {phone}');
    const data = { phoneNumber: '01000000001' };
    const _id = await tenant.add(addLead, { data, assignedToId });
    const { body } = await post(data).expect(400);
    expect(body).toEqual(rejection(duplicate('01000000001', 'assigned to Hany $t(x) {phone}')));
    await tenant.set('leads', { _id }, { assignedToId: null });
    const arabic = await post(data).set('language', 'ar-eg').expect(400);
    const message = 'عميل محتمل مكرر: يوجد عميل محتمل (01000000001) غير مسند إلى أحد.';
    expect(arabic.body).toEqual(rejection(message));
  });

  it.each([
    ['has no name', {}],
    ['has an empty name', { name: '' }],
    ['has a name of blanks', { name: ' ' }],
    ['has a name of another type', { name: { 'en-us': 'Hany' } }],
    ['belongs to another organization', { name: 'Hany', organizationId: new ObjectId() }],
  ])('says that someone has the other lead when its user %s', async (_title, fields) => {
    const data = { phoneNumber: '01000000001' };
    const user = { ...conventions(tenant.organizationId), ...fields };
    await service.db.collection('users').insertOne(user, { bypassDocumentValidation: true });
    const assignedToId = user._id;
    await tenant.add(addLead, { data, assignedToId });
    const { body } = await post(data).expect(400);
    expect(body).toEqual(rejection(duplicate('01000000001', 'assigned to someone')));
    await tenant.set('leads', {}, { assignedToId: new ObjectId() });
    expect((await post(data).expect(400)).body).toEqual(body);
    const arabic = await post(data).set('language', 'ar-eg').expect(400);
    const message = 'عميل محتمل مكرر: يوجد عميل محتمل (01000000001) مسند إلى شخص ما.';
    expect(arabic.body).toEqual(rejection(message));
  });

  it('accepts phones of deleted leads and other organizations', async () => {
    const data = { phoneNumber: '01000000001' };
    await (await service.addTenant()).post('/leads', data).expect(201);
    await post({ recordSystemId: 'a', data }).expect(201);
    await tenant.delete('/leads/a').expect(200);
    await post({ data }).expect(201);
  });

  it.each(['', null, 'N/A', '-', '0', 'none', 'ext. 1234', 0, 1234, true])(
    'stores %p unchecked when it is not a phone',
    async (phoneNumber) => {
      const clients = new Set<string>();
      for (const name of ['Mona', 'Hany']) {
        const { body } = await post({ data: { name, phoneNumber } }).expect(201);
        expect(body.lead.data).toEqual({ name, phoneNumber });
        clients.add(body.lead.clientId);
      }
      expect(clients.size).toBe(2);
    },
  );
});

describe('POST /leads with a phone of a lead from another program', () => {
  it.each(['01001234567', '+201001234567', '010 01234567', '+20 10 01234567', 201_001_234_567])(
    'returns 400 immediately when it is spelled %p',
    async (phoneNumber2) => {
      await tenant.add(addLead, { data: { phoneNumber2 } });
      await post({ phoneNumber: '0020 100 123 4567' }).expect(400);
    },
  );

  it('accepts a phone when the stored value has another type', async () => {
    const data = { phoneNumber: { number: '01000000001' }, phoneNumber2: [new ObjectId()] };
    await tenant.add(addLead, { data });
    await post({ phoneNumber: '01000000001' }).expect(201);
  });
});
