import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import {
  addReservation,
  addTenant,
  addUnit,
  addWallet,
  conventions,
  type Tenant,
} from '../support/builders.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';

let service: TestConsole;
let tenant: Tenant;
let other: Tenant;
let organization: string;

beforeAll(async () => {
  // A search covers all organizations: other tests' records must not be found.
  service = await startConsole({}, randomDatabaseUri());
  [tenant, other] = await Promise.all([addTenant(service.db), addTenant(service.db)]);
  organization = tenant.organizationId.toHexString();
});
afterAll(() => service.stop());

const post = (path: string, body: object, key = tenant.key) =>
  service.api('post', path).set('api-key', key).send(body);

async function shown(path: string): Promise<string> {
  const { status, html } = await service.get(path);
  expect({ path, status }).toEqual({ path, status: 200 });
  return textOf(html);
}

const logEntries = (subjectId: string) =>
  service.db
    .collection('operatorLog')
    .find({ organizationId: tenant.organizationId, subjectId })
    .toArray();

describe('a lead', () => {
  const name = 'Mona <b>Farid</b>';
  const phone = '01001239876';
  let path: string;
  let leadId: number;

  beforeAll(async () => {
    const fields = {
      recordSystemId: 'form-1',
      name,
      phoneNumber: phone,
      email: 'mona@example.com',
    };
    const created = await post('/leads', {
      ...fields,
      data: { 'Her number is 01001239876': 'yes' },
    });
    const { _id } = created.body.lead;
    leadId = created.body.lead.leadId;
    path = `/leads/${organization}/${_id}`;
    await post('/leads', { recordSystemId: 'form-1', data: { budget: 4_711 } })
      .set('x-request-id', 'second-request')
      .expect(200);
    await post('/leads', { name: 'Somebody else', phoneNumber: phone }, other.key).expect(201);
  });

  it('is found by its ids, its email in any case, and a request id', async () => {
    const id = path.split('/').at(-1) ?? '';
    for (const reference of ['form-1', ` ${id} `, 'MONA@example.com', 'second-request']) {
      const { status, location } = await service.post('/search', { reference });
      const expected = { reference, status: 303, location: `/console${path}` };
      expect({ reference, status, location }).toEqual(expected);
    }
  });

  it('is listed together with a lead of another organization with the same phone', async () => {
    const { status, html } = await service.post('/search', { reference: '+20 100 123 9876' });
    expect(status).toBe(200);
    expect(html).toContain(`href="/console${path}"`);
    const text = textOf(html);
    expect(text).toMatch(new RegExp(`lead form-1 Nile Homes \\(${organization}\\)`));
    expect(text).toContain(`Nile Homes (${other.organizationId.toHexString()})`);
  });

  it('is found by its number, but not by an unknown reference', async () => {
    const { html } = await service.post('/search', { reference: String(leadId) });
    expect(html).toContain(`href="/console${path}"`);
    const none = await service.post('/search', { reference: 'nobody-has-this' });
    expect(none.status).toBe(200);
    expect(textOf(none.html)).toContain('Nothing was found.');
  });

  it('is found by its email when it has no client', async () => {
    const alone = await addTenant(service.db, {
      settings: { clients: { createFromLeads: false } },
    });
    const { body } = await post('/leads', { name: 'A', email: 'Alone@Example.com' }, alone.key);
    expect(body.lead.clientId).toBeNull();
    const found = await service.post('/search', { reference: 'alone@example.com' });
    const of = alone.organizationId.toHexString();
    expect(found.location).toBe(`/console/leads/${of}/${body.lead._id}`);
  });

  it('shows every change with request and key, and its events', async () => {
    const text = await shown(path);
    expect(text).toContain(`Lead ${leadId}`);
    expect(text).toMatch(
      /External Lead Update data\.budget : – → •+ Website second-request .*External Lead Create/,
    );
    expect(text).toMatch(/lead\.updated .* second-request .*lead\.created/);
  });

  it('shows the names of its compounds and its assignee, or their ids', async () => {
    const { db } = service;
    const { organizationId } = tenant;
    const compound = { ...conventions(organizationId), slug: 'lake', name: { 'en-us': 'Lake' } };
    const user = { ...conventions(organizationId), name: 'Omar Nabil' };
    const unknown = new ObjectId();
    const options = { bypassDocumentValidation: true };
    await db.collection('compounds').insertOne(compound, options);
    await db.collection('users').insertOne(user, options);
    const _id = new ObjectId(path.split('/').at(-1));
    const fields = { compoundsIds: [compound._id, unknown], assignedToId: user._id };
    await db.collection('leads').updateOne({ _id }, { $set: fields });
    const named = `Assigned to Omar Nabil Compounds Lake ${unknown.toHexString()} Data`;
    expect(await shown(path)).toContain(named);
    await db.collection('leads').updateOne({ _id }, { $set: { assignedToId: unknown } });
    expect(await shown(path)).toContain(`Assigned to ${unknown.toHexString()} Compounds`);
  });

  it('hides personal data until a reader asks to see it, which is logged', async () => {
    const { html } = await service.get(path);
    for (const secret of ['Mona', 'Farid', '1239876', 'mona@example', '4711', 'Her number']) {
      expect(html).not.toContain(secret);
    }
    const id = path.split('/').at(-1) ?? '';
    expect(await logEntries(id)).toEqual([]);
    const { status, html: whole } = await service.post(`${path}/show`);
    expect(status).toBe(200);
    for (const value of ['Mona &lt;b>Farid', phone, 'mona@example.com', '4711', 'Her number']) {
      expect(whole).toContain(value);
    }
    expect(whole).not.toContain('<b>Farid');
    // Digits alone have no direction.
    expect(whole).toContain(`${phone}</bdi>`);
    expect(await logEntries(id)).toMatchObject([
      { action: 'show', subject: 'lead', result: 'done', address: '127.0.0.1' },
    ]);
    expect(await shown('/log')).toMatch(new RegExp(`personal data shown lead ${id} – done`));
    // The next load hides it again.
    expect((await service.get(path)).html).not.toContain('4711');
  });

  it('is found with the other leads of its phone', async () => {
    const allowing = await addTenant(service.db, { settings: { allowConflictLeads: true } });
    for (const recordSystemId of ['twin-1', 'twin-2']) {
      await post('/leads', { recordSystemId, phoneNumber: phone }, allowing.key);
    }
    const found = await service.post('/search', { reference: phone });
    expect(textOf(found.html)).toMatch(/twin-1 .*twin-2|twin-2 .*twin-1/);
  });

  it('shows a long history page by page, and returns 400 for an invalid cursor', async () => {
    const { body } = await post('/leads', { recordSystemId: 'long', data: { step: 0 } });
    for (let step = 1; step <= 29; step++) {
      await post('/leads', { recordSystemId: 'long', data: { step } })
        .set('x-request-id', `step-${step}-`)
        .expect(200);
    }
    const { html } = await service.get(`/leads/${organization}/${body.lead._id}`);
    const requests = (page: string) =>
      new Set([...page.matchAll(/step-(\d+)-/g)].map(([, step]) => Number(step)));
    expect(requests(html)).toEqual(new Set(Array.from({ length: 25 }, (_, index) => 29 - index)));
    const older = /href="\/console([^"]*changes=[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    const changes = /<h2>Changes<.*?<\/table>/s;
    const rest = changes.exec((await service.get(older ?? '')).html)?.[0] ?? '';
    expect(requests(rest)).toEqual(new Set([1, 2, 3, 4]));
    expect(rest).toContain('External Lead Create');
    const invalid = await service.get(`/leads/${organization}/${body.lead._id}?changes=x`);
    expect(invalid.status).toBe(400);
    expect(textOf(invalid.html)).toContain('Error 400 The address contains an invalid cursor.');
  });

  it('is paged to the end of a list without times', async () => {
    const unitId = await addUnit(service.db, tenant.organizationId);
    const reservations = service.db.collection('reservations');
    for (let index = 0; index < 30; index++) {
      const _id = await addReservation(service.db, tenant.organizationId, unitId);
      await reservations.updateOne(
        { _id },
        { $unset: { createdAt: '' } },
        { bypassDocumentValidation: true },
      );
    }
    const ids = (html: string) => new Set(html.match(/reservations\/\w+\/\w{24}/g) ?? []);
    const first = await service.get(`/units/${organization}/${unitId.toHexString()}`);
    const older = /href="\/console([^"]*reservations=[^"]+)"/.exec(first.html)?.[1];
    const last = await service.get(older?.replaceAll('&amp;', '&') ?? '');
    expect([ids(first.html).size, ids(last.html).size]).toEqual([25, 5]);
    expect(new Set([...ids(first.html), ...ids(last.html)]).size).toBe(30);
    expect([first, last].map(({ html }) => textOf(html).includes('Next page'))).toEqual([
      true,
      false,
    ]);
  });
});

describe('a reservation', () => {
  let path: string;
  let unitId: ObjectId;
  let id: string;
  const callback = (body: object, key = tenant.key) =>
    post('/reservations/webhook', { reservationId: id, ...body }, key);

  beforeAll(async () => {
    const { organizationId } = tenant;
    unitId = await addUnit(service.db, organizationId, { slug: 'villa-7', unitId: 'V-7' });
    const reservationId = await addReservation(service.db, organizationId, unitId, {
      recordSystemId: 'deal-7',
    });
    id = reservationId.toHexString();
    path = `/reservations/${organization}/${id}`;
    const cheques = [{ installmentId: 'c1' }];
    await addWallet(service.db, organizationId, { reservationId, unitId, cheques });
    await callback({ reservationStatus: 'approved', note: 'Mona says' }, other.key).expect(404);
    await callback({ reservationStatus: 'approved', note: 'Mona says' }).expect(201);
    await callback({ installmentId: 'c1', chequeStatus: 'bounced', chequeNumber: '77' }).expect(
      201,
    );
    await callback({ installmentId: 'c1', chequeStatus: 'collected' }).expect(201);
    await callback({ reservationStatus: 'approved' }).expect(422);
  });

  it('is found by its ids, and its unit by the ids of the unit', async () => {
    for (const reference of ['deal-7', id]) {
      const { location } = await service.post('/search', { reference });
      expect({ reference, location }).toEqual({ reference, location: `/console${path}` });
    }
    for (const reference of ['villa-7', 'V-7', unitId.toHexString()]) {
      const { location } = await service.post('/search', { reference });
      const unitPath = `/console/units/${organization}/${unitId.toHexString()}`;
      expect({ reference, location }).toEqual({ reference, location: unitPath });
    }
  });

  it('is found by the request id of a rejected callback', async () => {
    await callback({ reservationStatus: 'approved' }).set('x-request-id', 'refused-7').expect(422);
    const { location } = await service.post('/search', { reference: 'refused-7' });
    expect(location).toBe(`/console${path}`);
  });

  it('lists two units with the same id together with their compounds', async () => {
    const { organizationId } = tenant;
    for (const name of ['Garden', 'Lake']) {
      const compoundId = new ObjectId();
      const compound = { ...conventions(organizationId), _id: compoundId, slug: name };
      await service.db
        .collection('compounds')
        .insertOne({ ...compound, name: { 'en-us': name } }, { bypassDocumentValidation: true });
      await addUnit(service.db, organizationId, {
        slug: `twin-${name}`,
        unitId: 'T-1',
        compoundId,
      });
    }
    const { status, html } = await service.post('/search', { reference: 'T-1' });
    expect(status).toBe(200);
    expect(textOf(html)).toMatch(/T-1 unit Garden · twin-Garden/);
    expect(textOf(html)).toMatch(/T-1 unit Lake · twin-Lake/);
  });

  it('shows fields and effects of callbacks, and why they were rejected', async () => {
    const text = await shown(path);
    const parts = [
      'Callback accepted (201) Sent reservationStatus=approved Other fields 1',
      'Reservation pending_cheque_collection → approved Unit Available → Sold',
      'Sent installmentId=c1 chequeStatus=bounced chequeNumber=77',
      'Reservation approved → canceled Cheque pending → bounced Unit Sold → Available Wallet deleted',
      'Sent installmentId=c1 chequeStatus=collected',
      'Reservation canceled → approved Cheque bounced → collected Unit Available → Sold Wallet restored',
      'Callback refused (422)',
      'Why Reservation must be pending cheque collection before OIC approval Effects nothing',
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places.includes(-1) ? text : '').toBe('');
    // The newest comes first.
    const callbacks = [0, 2, 4, 6].map((index) => places[index] ?? -1);
    expect(callbacks).toEqual(callbacks.toSorted((a, b) => b - a));
    // A callback of another organization is not shown.
    expect(text).not.toContain('Reservation not found');
    expect(text).toMatch(/Cheques .*c1 collected 77 – – active/);
    expect(text).toMatch(
      /Reports .* c1 collected – – External API .* c1 bounced 77 – External API/,
    );
  });

  it('lists its statuses with the cause of each', async () => {
    const text = await shown(path);
    expect(text).toMatch(
      /Status history .*from canceled to approved · by a callback · .*from approved to canceled · by a callback .*from pending_cheque_collection to approved · by a callback/,
    );
  });

  it('shows one message per line, hides rejected values, and links the blocking reservation', async () => {
    const blocking = await addReservation(service.db, tenant.organizationId, unitId, {
      recordSystemId: 'deal-8',
    });
    const cheques = [{ installmentId: 'other' }];
    await addWallet(service.db, tenant.organizationId, {
      reservationId: blocking,
      unitId,
      cheques,
    });
    const blocked = blocking.toHexString();
    for (const [chequeStatus, status] of [
      ['bounced', 201],
      ['collected', 422],
    ] as const) {
      await callback({ reservationId: blocked, installmentId: 'other', chequeStatus }).expect(
        status,
      );
    }
    const { html } = await service.get(`/reservations/${organization}/${blocked}`);
    expect(textOf(html)).toMatch(/This unit already reserved Blocked by/);
    expect(html).toMatch(new RegExp(`Blocked by</dt><dd><a href="/console${path}">`));
    await callback({ installmentId: 'c1', chequeStatus: 'nonsense', chequeAmount: 'x' }).expect(
      400,
    );
    const page = (await service.get(path)).html;
    expect(page).toContain('chequeStatus=•••••• (string of 8)');
    expect(page).not.toContain('nonsense');
    expect(page).toMatch(
      /<li><bdi dir="auto">chequeStatus must be a valid enum value<\/bdi><\/li>/,
    );
  });

  it('is shown as the cause when a request changed its unit', async () => {
    await addUnit(service.db, tenant.organizationId, { slug: 'villa-9', unitId: 'V-9' });
    const body = { recordSystemId: 'deal-9', unit: 'villa-9', lead: { recordSystemId: 'form-1' } };
    const created = await post('/reservations', body).expect(201);
    const { _id, unitId: reserved } = created.body.reservation;
    const unit = await shown(`/units/${organization}/${reserved}`);
    expect(unit).toMatch(new RegExp(`Available → Reserved request about a reservation ${_id}`));
  });

  it('is shown on the page of its unit as the cause of status changes, also after many others', async () => {
    for (let index = 0; index < 26; index++) {
      const later = await addReservation(service.db, tenant.organizationId, unitId);
      const canceled = { $set: { status: 'canceled' } };
      await service.db.collection('reservations').updateOne({ _id: later }, canceled);
    }
    const unit = await shown(`/units/${organization}/${unitId.toHexString()}`);
    expect(unit).toContain('Unit V-7');
    expect(unit).toMatch(
      new RegExp(
        `Status changes .*Available → Sold callback of reservation ${id} .*Sold → Available .*Available → Sold`,
      ),
    );
  });
});

describe('a missing record', () => {
  it('returns 404 with the menu', async () => {
    const id = new ObjectId().toHexString();
    const foreign = other.organizationId.toHexString();
    const lead = await service.db
      .collection('leads')
      .findOne({ organizationId: tenant.organizationId });
    const paths = [
      `/leads/${organization}/${id}`,
      `/leads/${organization}/nonsense`,
      `/leads/${id}/${lead?._id.toHexString()}`,
      `/leads/${foreign}/${lead?._id.toHexString()}`,
      `/reservations/${organization}/${id}`,
      `/reservations/nonsense/${id}`,
      `/units/${organization}/${id}`,
      `/webhooks/${id}`,
      '/webhooks/nonsense',
      `/webhooks/deliveries/${id}`,
      '/unknown',
    ];
    for (const path of paths) {
      const { status, html } = await service.get(path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(html).toContain('<nav');
    }
    for (const path of paths.filter((one) => /leads|deliveries/.test(one))) {
      expect({ path, ...(await service.post(`${path}/show`)) }).toMatchObject({
        path,
        status: 404,
      });
    }
    expect(await logEntries(id)).toEqual([]);
  });
});
