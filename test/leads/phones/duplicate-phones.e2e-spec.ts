import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { addClient, addLead, addUser, conventions } from '../../support/builders.js';
import { isOtherNumber, spellingOf, validNumber } from '../../support/phone-spellings.js';
import { rounds } from '../../support/rounds.js';
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
const refusal = (...message: string[]) => ({ statusCode: 400, message, error: 'Bad Request' });
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
        expect(body).toEqual(refusal(duplicate(phoneNumber)));
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
    expect(body).toEqual(refusal(duplicate('01000000001', 'assigned to Hany $t(x) {phone}')));
    await tenant.set('leads', { _id }, { assignedToId: null });
    const arabic = await post(data).set('language', 'ar-eg').expect(400);
    const message = 'عميل محتمل مكرر: يوجد عميل محتمل (01000000001) غير مسند إلى أحد.';
    expect(arabic.body).toEqual(refusal(message));
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
    expect(body).toEqual(refusal(duplicate('01000000001', 'assigned to someone')));
    await tenant.set('leads', {}, { assignedToId: new ObjectId() });
    expect((await post(data).expect(400)).body).toEqual(body);
    const arabic = await post(data).set('language', 'ar-eg').expect(400);
    const message = 'عميل محتمل مكرر: يوجد عميل محتمل (01000000001) مسند إلى شخص ما.';
    expect(arabic.body).toEqual(refusal(message));
  });

  it('accepts phones of deleted leads and other organizations', async () => {
    const data = { phoneNumber: '01000000001' };
    await (await service.addTenant()).post('/leads', data).expect(201);
    await post({ recordSystemId: 'a', data }).expect(201);
    await tenant.delete('/leads/a').expect(200);
    await post({ data }).expect(201);
  });

  it('returns 400 for every spelling of a number, and links all of them to one client', async () => {
    const spelled = validNumber.chain((number) =>
      fc.tuple(fc.constant(number), fc.array(spellingOf(number), { minLength: 2, maxLength: 2 })),
    );
    await fc.assert(
      fc.asyncProperty(spelled, async ([number, texts]) => {
        fc.pre(texts.every((text) => !isOtherNumber(text, number)));
        const { country: phoneCountry } = number;
        tenant = await service.addTenant({ settings: { phoneCountry, allowConflictLeads: true } });
        const [first = '', second = ''] = texts;
        for (const phoneNumber of [first, first, first, second, number.number]) {
          await post({ data: { phoneNumber } }).expect(201);
        }
        const clients = await tenant.stored('clients');
        expect(clients.map((client) => client['phoneNumbers'] as unknown)).toEqual([
          [number.number],
        ]);
        tenant = await service.addTenant({ settings: { phoneCountry } });
        await post({ data: { phoneNumber: first } }).expect(201);
        for (const phoneNumber of [first, second, number.number]) {
          const { body } = await post({ data: { phoneNumber } }).expect(400);
          expect(body).toEqual(refusal(duplicate(phoneNumber)));
        }
      }),
      { numRuns: rounds(8, 200) },
    );
  });

  it('returns 400 for each number of a list, and adds all of them to the client', async () => {
    await post({ phoneNumber: '01000000001 / 01000000002' }).expect(201);
    await post({ phoneNumber: '01000000001' }).expect(400);
    await post({ phoneNumber: '0020 100 0000002' }).expect(400);
    await post({ phoneNumber: '01000000003; +201000000002' }).expect(400);
    await post({ phoneNumber: '01000000003' }).expect(201);
    const { phoneNumbers } = await tenant.storedOne('clients', { phoneNumbers: '+201000000001' });
    expect(phoneNumbers).toEqual(['+201000000001', '+201000000002']);
  });

  it('adds no more than a hundred phones to a client, also from a list', async () => {
    const email = 'mona@example.com';
    const phones = Array.from({ length: 99 }, (_, index) =>
      `+2010000010${10 + index}`.slice(0, 13),
    );
    const stored = [...new Set(phones)];
    const filled = [
      ...stored,
      ...Array.from({ length: 99 - stored.length }, (_, index) => `+20110000${1_000 + index}`),
    ];
    const clientId = await tenant.add(addClient, { email, phoneNumbers: filled });
    await post({ email, phoneNumber: '01200000001 / 01200000002' }).expect(201);
    const { phoneNumbers } = await tenant.storedOne('clients', { _id: clientId });
    expect(phoneNumbers).toEqual([...filled, '+201200000001']);
  });

  it('creates no client for a lead that has only a placeholder', async () => {
    for (const phoneNumber of ['2.01E+11', '00000000']) {
      const { body } = await post({ phoneNumber }).expect(201);
      expect(body.lead).toMatchObject({ data: { phoneNumber }, clientId: null });
    }
  });

  it.each(['', null, 'N/A', '-', '0', 'none', 'ext. 1234', 0, 1234, true, '2.01E+11', '00000000'])(
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
