import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import type { Test } from 'supertest';
import { RequestRecorder } from '../../src/operator/request-log/request-recorder.js';
import {
  addCompound,
  addKey,
  addLead,
  addReserved,
  addUnit,
  conventions,
  publishedEvents,
} from '../support/builders.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';
import { cardOf, linesIn, linkIn, rowsIn } from './page-parts.js';

const phone = '01001239876';

let service: TestConsole;
let tenant: TenantApi;
let other: TenantApi;
let organization: string;
beforeAll(async () => {
  // Other tests' records must not be found, because a search covers all organizations.
  service = await startConsole({}, randomDatabaseUri());
  tenant = await service.addTenant({ key: { name: 'Website of Nile' } });
  other = await service.addTenant({ key: { name: 'Elsewhere' } });
  organization = tenant.organizationId.toHexString();
  const filter = { _id: other.organizationId };
  await service.db
    .collection('organizations')
    .updateOne(filter, { $set: { name: 'Delta Towers' } });
});
afterAll(() => service.stop());

const storeLog = () => service.service.app.get(RequestRecorder).store();
const pageOf = async (reference: string) => {
  const { status, html } = await service.post('/search', { reference });
  expect(status).toBe(200);
  return html;
};

describe('a request id', () => {
  /** Each request is refused for another reason. */
  async function refusedRequests(): Promise<readonly (readonly [Test, number, string])[]> {
    const revoked = await tenant.add(addKey, { name: 'Ended', revokedAt: new Date() });
    const { get, post, put } = tenant;
    const unitId = await tenant.add(addUnit);
    const reservationId = (await tenant.add(addReserved, unitId)).toHexString();
    const tooEarly = { reservationId, installmentId: '1', chequeStatus: 'nonsense' };
    return [
      [post('/leads', { email: 'nobody' }), 400, 'validation.failed'],
      [post('/leads', '{"name":').type('json'), 400, 'request.malformed_json'],
      [post('/leads', 'name').type('text'), 415, 'request.unsupported_media_type'],
      [post('/leads', { name: 'x'.repeat(2 ** 20) }), 413, 'request.body_too_large'],
      [get('/leads/unknown'), 404, 'lead.not_found'],
      [get('/events'), 403, 'authentication.operation_not_permitted'],
      [get('/lead'), 404, 'route.not_found'],
      [put('/leads', ''), 405, 'route.method_not_allowed'],
      [post('/reservations/webhook', tooEarly), 400, 'validation.failed'],
      [tenant.with(revoked).get('/compounds'), 401, 'key.invalid'],
    ];
  }

  it('finds each kind of refused request of a known key, with its reason and remedy', async () => {
    const ids: (readonly [string, string])[] = [];
    for (const [request, status, code] of await refusedRequests()) {
      const { headers } = await request.expect(status);
      ids.push([String(headers['x-request-id']), code]);
    }
    await storeLog();
    for (const [id, code] of ids) {
      const html = await pageOf(id);
      const found = linesIn(cardOf(html, 'Requests with this id'));
      expect([code, found]).toEqual([code, [expect.stringContaining(code)]]);
      expect(found[0]).toContain('What to do: ');
      expect(linkIn(cardOf(html, 'Requests with this id'), '/partners/')).toMatch(
        /^\/partners\/\w{24}$/,
      );
    }
  });

  it('finds a request of which fields were ignored, and what it changed', async () => {
    const { headers } = await tenant
      .post('/leads', { recordSystemId: 'ignored-1', fullName: 'x' })
      .expect(201);
    await storeLog();
    const lead = await tenant.storedOne('leads', { recordSystemId: 'ignored-1' });
    const html = await pageOf(String(headers['x-request-id']));
    expect(linesIn(cardOf(html, 'Requests with this id'))).toEqual([
      expect.stringMatching(/ 201 POST \/leads fields\.ignored fullName/),
    ]);
    const changed = cardOf(html, 'What the request changed');
    expect(linkIn(changed, '/leads/')).toBe(`/leads/${organization}/${String(lead['_id'])}`);
  });

  it('opens the record that an accepted request changed', async () => {
    const requestId = 'accepted-request-0001';
    const lead = { recordSystemId: 'accepted-1', name: 'A' };
    await tenant.post('/leads', lead).expect(201);
    const changed = { ...lead, data: { rooms: 3 } };
    await tenant.post('/leads', changed).set('x-request-id', requestId).expect(200);
    const { _id } = await tenant.storedOne('leads', { recordSystemId: 'accepted-1' });
    const path = `/leads/${organization}/${String(_id)}`;
    expect(await service.find(requestId)).toBe(path);
  });

  it('that is not kept is answered with what is kept', async () => {
    for (const reference of ['f3b1c1de-0000-4000-8000-00000000beef', 'no such thing']) {
      const found = await service.find(reference);
      expect(found).toContain('Nothing was found The request log keeps only refused requests');
      expect(found).toContain('at most 1,000 a day for each key, for REQUEST_LOG_DAYS');
      expect(found).toContain('Requests without a valid key are only in the log of the service.');
    }
  });
});

it('the id of an unknown reservation finds the callbacks that named it', async () => {
  const reservationId = new ObjectId().toHexString();
  const report = { reservationId, installmentId: '1', chequeStatus: 'collected' };
  await tenant.post('/reservations/webhook', report).expect(404);
  await other.post('/reservations/webhook', { ...report, chequeStatus: 'bounced' }).expect(404);
  const html = await pageOf(reservationId);
  const callbacks = rowsIn(cardOf(html, 'Callbacks that named this reservation'));
  const cells = (status: string, name: string, key: string) =>
    expect.arrayContaining(['404', `installmentId=1 chequeStatus=${status}`, name, key]);
  expect(callbacks).toEqual([
    cells('bounced', 'Delta Towers', 'Elsewhere'),
    cells('collected', 'Nile Homes', 'Website of Nile'),
  ]);
  expect(callbacks[0]).toEqual(expect.arrayContaining(['Reservation not found']));
  expect(textOf(html)).toContain('There is no reservation with this id');
});

describe('a lead', () => {
  let path: string;
  let id: string;
  let leadId: number;
  beforeAll(async () => {
    const fields = { name: 'Mona Farid', phoneNumber: phone, email: 'mona@example.com' };
    const { body } = await tenant
      .post('/leads', { recordSystemId: 'form-1', ...fields })
      .expect(201);
    id = body.lead._id;
    leadId = body.lead.leadId;
    path = `/leads/${organization}/${id}`;
  });

  it('is found by its ids, its email in any case, and its phone in any spelling', async () => {
    for (const reference of [
      'form-1',
      ` ${id} `,
      id.toUpperCase(),
      'MONA@example.com',
      phone,
      '+20 100 123 9876',
      '0020-100-123-9876',
      '(0100) 123.9876',
      '٠١٠٠١٢٣٩٨٧٦',
    ]) {
      expect([reference, await service.find(reference)]).toEqual([reference, path]);
    }
    const html = (await service.post('/search', { reference: String(leadId) })).location;
    expect(html).toBe(`/console${path}`);
  });

  it('is listed with the leads of all organizations that have its phone', async () => {
    await other.post('/leads', { name: 'Somebody else', phoneNumber: phone }).expect(201);
    const html = await pageOf('+20 100 123 9876');
    expect(linkIn(html, id)).toBe(path);
    const rows = rowsIn(html).map(([, kind, , name]) => [kind, name]);
    expect(rows.toSorted()).toEqual([
      ['lead', 'Delta Towers'],
      ['lead', 'Nile Homes'],
    ]);
    // A phone must not be part of an address, and the name stays hidden.
    expect(html).not.toMatch(/href="[^"]*9876/);
    expect(html).not.toContain('Mona');
  });

  it('that is deleted is marked', async () => {
    const deleted = { recordSystemId: 'gone-1', isDeleted: true };
    for (const number of [77, 78]) await tenant.add(addLead, { ...deleted, leadId: number });
    expect(await service.find('gone-1')).toMatch(/lead gone-1 · deleted/);
  });

  it('is found by its email when it has no client', async () => {
    const alone = await service.addTenant({ settings: { clients: { createFromLeads: false } } });
    const { body } = await alone.post('/leads', { name: 'A', email: 'Alone@Example.com' });
    expect(body.lead.clientId).toBeNull();
    const found = `/leads/${alone.organizationId.toHexString()}/${body.lead._id}`;
    expect(await service.find('alone@example.com')).toBe(found);
  });
});

it('units and reservations are found by their ids', async () => {
  const unit = await tenant.add(addUnit, { slug: 'villa-7', unitId: 'V-7' });
  const reservation = await tenant.add(addReserved, unit, { recordSystemId: 'deal-7' });
  const [unitPath, path] = [
    `/units/${organization}/${String(unit)}`,
    `/reservations/${organization}/${String(reservation)}`,
  ];
  for (const [reference, found] of [
    ['deal-7', path],
    [String(reservation), path],
    ['villa-7', unitPath],
    ['V-7', unitPath],
    [String(unit), unitPath],
  ] as const) {
    expect([reference, await service.find(reference)]).toEqual([reference, found]);
  }
});

it('the request id of a refused callback finds its reservation', async () => {
  const reservation = await tenant.add(addReserved, await tenant.add(addUnit));
  const body = { reservationId: reservation.toHexString(), reservationStatus: 'nonsense' };
  const { headers } = await tenant.post('/reservations/webhook', body).expect(400);
  const path = `/reservations/${organization}/${String(reservation)}`;
  expect(await service.find(String(headers['x-request-id']))).toBe(path);
  // The request log, which is stored later, explains it, too.
  await storeLog();
  const html = await pageOf(String(headers['x-request-id']));
  expect(linkIn(html, path)).toBe(path);
  expect(linesIn(html)).toEqual([expect.stringContaining('validation.failed')]);
});

it('units with the same id are listed with their compounds', async () => {
  for (const name of ['Garden', 'Lake']) {
    const compoundId = await tenant.add(addCompound, { 'en-us': name });
    await tenant.add(addUnit, { slug: `twin-${name}`, unitId: 'T-1', compoundId });
  }
  const found = await service.find('T-1');
  expect(found).toContain('T-1 unit Garden · twin-Garden');
  expect(found).toContain('T-1 unit Lake · twin-Lake');
});

it('organizations and keys are found by names, prefixes and ids', async () => {
  const _id = new ObjectId();
  await other.add(addKey, { _id, name: 'Aqar portal', prefix: 'iapi_x9y8' });
  const keyPath = `/partners/${String(_id)}`;
  const delta = `/partners?text=${String(other.organizationId)}`;
  for (const [reference, found] of [
    ['aqar PORT', keyPath],
    ['iapi_x9y8', keyPath],
    [String(_id), keyPath],
    ['delta tow', delta],
    [String(other.organizationId), delta],
  ] as const) {
    expect([reference, await service.find(reference)]).toEqual([reference, found]);
  }
  const names = rowsIn((await service.get(delta)).html).map(([name]) => name);
  expect(names.toSorted()).toEqual(['Aqar portal', 'Elsewhere']);
  // Several results are listed with their kinds.
  const kinds = rowsIn(await pageOf('nile')).map(([name, kind]) => [name, kind]);
  expect(kinds).toEqual(
    expect.arrayContaining([
      ['Nile Homes', 'organization'],
      ['Website of Nile', 'key'],
    ]),
  );
});

it('endpoints, deliveries and their messages are found by ids, and endpoints by a part of the URL', async () => {
  const endpoint = {
    ...conventions(tenant.organizationId),
    url: 'https://crm.nile.example/hooks/abc?token=s3cret',
    eventTypes: ['*'],
    isEnabled: true,
    disabledReason: null,
    failingSince: null,
    pausedUntil: null,
    secrets: [],
  };
  const [event = endpoint] = publishedEvents(tenant.organizationId, 1);
  const delivery = {
    ...conventions(tenant.organizationId),
    endpointId: endpoint._id,
    eventId: event._id,
    type: 'lead.created',
    objectId: null,
    bytes: 9,
    status: 'delivered',
    round: 1,
    attempts: 1,
    nextAttemptAt: new Date(),
    log: [],
  };
  await service.db.collection('webhookEndpoints').insertOne(endpoint);
  await service.db.collection('webhookDeliveries').insertOne(delivery);
  const endpointPath = `/webhooks/${String(endpoint._id)}`;
  const deliveryPath = `/webhooks/deliveries/${String(delivery._id)}`;
  for (const [reference, found] of [
    [String(endpoint._id), endpointPath],
    ['crm.nile.exam', endpointPath],
    ['CRM.NILE.example/hooks', endpointPath],
    [String(delivery._id), deliveryPath],
    [`msg_${String(event._id)}`, deliveryPath],
  ] as const) {
    expect([reference, await service.find(reference)]).toEqual([reference, found]);
  }
});

it('a very long text finds nothing, here and among endpoints', async () => {
  const text = 'x'.repeat(40_000);
  expect((await service.post('/search', { reference: text })).status).toBe(200);
  expect((await service.get(`/webhooks?text=${text.slice(0, 12_000)}`)).status).toBe(200);
});

it('an empty search explains what can be found', async () => {
  for (const html of [(await service.get('/search')).html, await pageOf('  ')]) {
    expect(textOf(html)).toContain('One box for everything Enter an id, number or external id');
  }
});

it('the search escapes what was sent', async () => {
  const html = await pageOf('<script>alert(1)</script>');
  expect(html).not.toContain('<script>alert');
  expect(html).toContain('for <bdi>&lt;script>alert(1)&lt;/script></bdi>');
  // Browsers keep titles.
  expect(html).toContain('<title>Search results – ');
});
