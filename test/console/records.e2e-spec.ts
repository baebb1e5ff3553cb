import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addCompound, addReservation, addUnit, addUser, addWallet } from '../support/builders.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';

let service: TestConsole;
let tenant: TenantApi;
let other: TenantApi;
let organization: string;

beforeAll(async () => {
  // Other tests' records must not be found, because a search covers all organizations.
  service = await startConsole({}, randomDatabaseUri());
  [tenant, other] = [await service.addTenant(), await service.addTenant()];
  organization = tenant.organizationId.toHexString();
});
afterAll(() => service.stop());

const idOf = ({ organizationId }: TenantApi) => organizationId.toHexString();
const pathOf = (kind: string, id: ObjectId) => `/${kind}/${organization}/${id.toHexString()}`;
const nextPage = (html: string, list: string) =>
  new RegExp(`href="/console([^"]*${list}=[^"]+)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe('a lead', () => {
  const phone = '01001239876';
  let path: string;
  let id: ObjectId;
  let leadId: number;

  beforeAll(async () => {
    const fields = { name: 'Mona <b>Farid</b>', phoneNumber: phone, email: 'mona@example.com' };
    const data = { 'Her number is 01001239876': 'yes' };
    const first = { recordSystemId: 'form-1', ...fields, data };
    const { body } = await tenant.post('/leads', first).expect(201);
    id = new ObjectId(String(body.lead._id));
    leadId = body.lead.leadId;
    path = pathOf('leads', id);
    const second = { recordSystemId: 'form-1', data: { budget: 4_711 } };
    await tenant.post('/leads', second).set('x-request-id', 'second-request').expect(200);
    await other.post('/leads', { name: 'Somebody else', phoneNumber: phone }).expect(201);
  });

  it('is found by its ids, its email in any case, and a request id', async () => {
    for (const reference of ['form-1', ` ${String(id)} `, 'MONA@example.com', 'second-request']) {
      expect([reference, await service.find(reference)]).toEqual([reference, path]);
    }
  });

  it('is listed with the leads of all organizations that have its phone', async () => {
    const { status, html } = await service.post('/search', { reference: '+20 100 123 9876' });
    expect(status).toBe(200);
    expect(html).toContain(`href="/console${path}"`);
    expect(textOf(html)).toContain(`lead form-1 Nile Homes (${organization})`);
    expect(textOf(html)).toContain(`Nile Homes (${idOf(other)})`);
    const allowing = await service.addTenant({ settings: { allowConflictLeads: true } });
    for (const recordSystemId of ['twin-1', 'twin-2']) {
      await allowing.post('/leads', { recordSystemId, phoneNumber: phone }).expect(201);
    }
    expect(await service.find(phone)).toMatch(/twin-1 .*twin-2|twin-2 .*twin-1/);
  });

  it('is found by its number, but not by an unknown reference', async () => {
    const { html } = await service.post('/search', { reference: String(leadId) });
    expect(html).toContain(`href="/console${path}"`);
    expect(await service.find('nobody-has-this')).toContain('Nothing was found.');
  });

  it('is found by its email when it has no client', async () => {
    const alone = await service.addTenant({ settings: { clients: { createFromLeads: false } } });
    const { body } = await alone.post('/leads', { name: 'A', email: 'Alone@Example.com' });
    expect(body.lead.clientId).toBeNull();
    const found = `/leads/${idOf(alone)}/${body.lead._id}`;
    expect(await service.find('alone@example.com')).toBe(found);
  });

  it('shows every change with request and key, and its events', async () => {
    const text = await service.text(path);
    expect(text).toContain(`Lead ${leadId}`);
    expect(text).toMatch(
      /External Lead Update data\.budget : – → •+ Website second-request .*External Lead Create/,
    );
    expect(text).toMatch(/lead\.updated .* second-request .*lead\.created/);
  });

  it('shows the names of its compounds and its assignee, or their ids', async () => {
    const compound = await tenant.add(addCompound, { 'en-us': 'Lake' });
    const user = await tenant.add(addUser, 'Omar Nabil');
    const unknown = new ObjectId();
    const fields = { compoundsIds: [compound, unknown], assignedToId: user };
    await tenant.set('leads', { _id: id }, fields);
    const expected = `Assigned to Omar Nabil Compounds Lake ${String(unknown)} Data`;
    expect(await service.text(path)).toContain(expected);
    await tenant.set('leads', { _id: id }, { assignedToId: unknown });
    expect(await service.text(path)).toContain(`Assigned to ${String(unknown)} Compounds`);
  });

  it('hides personal data until a reader asks to see it, which is logged', async () => {
    const personal = ['Mona', 'Farid', '1239876', 'mona@example', '4711', 'Her number'];
    const shownIn = (html: string) => personal.filter((value) => html.includes(value));
    const entries = () => tenant.stored('operatorLog', { subjectId: String(id) });
    expect(shownIn((await service.get(path)).html)).toEqual([]);
    expect(await entries()).toEqual([]);
    const { status, html } = await service.post(`${path}/show`);
    expect([status, shownIn(html)]).toEqual([200, personal]);
    expect(html).toContain('Mona &lt;b>Farid');
    // `bdi` keeps the digits in order on right-to-left pages.
    expect(html).toContain(`${phone}</bdi>`);
    const entry = { action: 'show', subject: 'lead', result: 'done', address: '127.0.0.1' };
    expect(await entries()).toMatchObject([entry]);
    expect(await service.text('/log')).toContain(`personal data shown lead ${String(id)} – done`);
    // The values are hidden again when the page is reloaded.
    expect(shownIn((await service.get(path)).html)).toEqual([]);
  });

  it('shows a long history page by page, and returns 400 for an invalid cursor', async () => {
    const steps = (from: number, to: number) =>
      new Set(Array.from({ length: from - to + 1 }, (_, index) => from - index));
    const post = (step: number) =>
      tenant
        .post('/leads', { recordSystemId: 'long', data: { step } })
        .set('x-request-id', `step-${step}-`);
    const { body } = await post(0).expect(201);
    for (let step = 1; step <= 29; step++) await post(step).expect(200);
    const long = `/leads/${organization}/${body.lead._id}`;
    const { html } = await service.get(long);
    const requests = (page: string) =>
      new Set([...page.matchAll(/step-(\d+)-/g)].map(([, step]) => Number(step)));
    expect(requests(html)).toEqual(steps(29, 5));
    const older = (await service.get(nextPage(html, 'changes'))).html;
    expect(requests(/<h2>Changes<.*?<\/table>/s.exec(older)?.[0] ?? '')).toEqual(steps(4, 0));
    const invalid = await service.get(`${long}?changes=x`);
    expect(invalid.status).toBe(400);
    expect(textOf(invalid.html)).toContain('Error 400 The address contains an invalid cursor.');
  });
});

it('a unit shows its reservations page by page, even when they have no times', async () => {
  const unitId = await tenant.add(addUnit);
  for (let index = 0; index < 30; index++) await tenant.add(addReservation, unitId);
  const options = { bypassDocumentValidation: true };
  const unset = { $unset: { createdAt: '' } };
  await service.db.collection('reservations').updateMany({ unitId }, unset, options);
  const ids = (html: string) => [...new Set(html.match(/reservations\/\w+\/\w{24}/g))];
  const first = await service.get(pathOf('units', unitId));
  const last = await service.get(nextPage(first.html, 'reservations'));
  expect([ids(first.html).length, ids(last.html).length]).toEqual([25, 5]);
  expect(new Set([...ids(first.html), ...ids(last.html)]).size).toBe(30);
  const haveNextPage = [first, last].map(({ html }) => textOf(html).includes('Next page'));
  expect(haveNextPage).toEqual([true, false]);
});

it('the search lists units with the same id with their compounds', async () => {
  for (const name of ['Garden', 'Lake']) {
    const compoundId = await tenant.add(addCompound, { 'en-us': name });
    await tenant.add(addUnit, { slug: `twin-${name}`, unitId: 'T-1', compoundId });
  }
  const found = await service.find('T-1');
  expect(found).toContain('T-1 unit Garden · twin-Garden');
  expect(found).toContain('T-1 unit Lake · twin-Lake');
});

describe('a reservation', () => {
  let path: string;
  let unitId: ObjectId;
  let id: ObjectId;
  const callback = (body: object, from = tenant) =>
    from.post('/reservations/webhook', { reservationId: id.toHexString(), ...body });
  const addWithCheque = async (recordSystemId: string, installmentId: string) => {
    const reservationId = await tenant.add(addReservation, unitId, { recordSystemId });
    await tenant.add(addWallet, { reservationId, unitId, cheques: [{ installmentId }] });
    return reservationId;
  };

  beforeAll(async () => {
    unitId = await tenant.add(addUnit, { slug: 'villa-7', unitId: 'V-7' });
    id = await addWithCheque('deal-7', 'c1');
    path = pathOf('reservations', id);
    const approved = { reservationStatus: 'approved', note: 'Mona says' };
    await callback(approved, other).expect(404);
    await callback(approved).expect(201);
    const bounced = { installmentId: 'c1', chequeStatus: 'bounced', chequeNumber: '77' };
    await callback(bounced).expect(201);
    await callback({ installmentId: 'c1', chequeStatus: 'collected' }).expect(201);
    await callback({ reservationStatus: 'approved' }).set('x-request-id', 'refused').expect(422);
  });

  it('is found by its ids, the ids of its unit, and the id of a rejected request', async () => {
    const unitPath = pathOf('units', unitId);
    for (const [reference, found] of [
      ['deal-7', path],
      [String(id), path],
      ['refused', path],
      ['villa-7', unitPath],
      ['V-7', unitPath],
      [String(unitId), unitPath],
    ] as const) {
      expect([reference, await service.find(reference)]).toEqual([reference, found]);
    }
  });

  it('shows fields and effects of callbacks, and why they were rejected, newest first', async () => {
    const text = await service.text(path);
    const parts = [
      'Callback rejected (422)',
      'Reason Reservation must be pending cheque collection before OIC approval Effects nothing',
      'Sent installmentId=c1 chequeStatus=collected',
      'Reservation canceled → approved Cheque bounced → collected Unit Available → Sold Wallet restored',
      'Sent installmentId=c1 chequeStatus=bounced chequeNumber=77',
      'Reservation approved → canceled Cheque pending → bounced Unit Sold → Available Wallet deleted',
      'Callback accepted (201) Sent reservationStatus=approved Other fields 1',
      'Reservation pending_cheque_collection → approved Unit Available → Sold',
    ];
    expect(parts.filter((part) => !text.includes(part))).toEqual([]);
    const positions = parts.map((part) => text.indexOf(part));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    // The callback of another organization got this message.
    expect(text).not.toContain('Reservation not found');
    expect(text).toMatch(/Cheques .*c1 collected 77 – – active/);
    expect(text).toMatch(
      /Reports .* c1 collected – – External API .* c1 bounced 77 – External API/,
    );
    expect(text).toMatch(
      /Status history .*from canceled to approved · by a callback · .*from approved to canceled · by a callback .*from pending_cheque_collection to approved · by a callback/,
    );
  });

  it('shows one message per line, hides rejected values, and links the blocking reservation', async () => {
    const blocked = await addWithCheque('deal-8', 'other');
    const report = { reservationId: blocked.toHexString(), installmentId: 'other' };
    await callback({ ...report, chequeStatus: 'bounced' }).expect(201);
    await callback({ ...report, chequeStatus: 'collected' }).expect(422);
    const { html } = await service.get(pathOf('reservations', blocked));
    expect(textOf(html)).toMatch(/This unit already reserved Blocked by/);
    expect(html).toContain(`Blocked by</dt><dd><a href="/console${path}">`);
    const invalid = { installmentId: 'c1', chequeStatus: 'nonsense', chequeAmount: 'x' };
    await callback(invalid).expect(400);
    const page = (await service.get(path)).html;
    expect(page).toContain('chequeStatus=•••••• (string of 8)');
    expect(page).not.toContain('nonsense');
    const message = 'chequeStatus must be a valid enum value';
    expect(page).toContain(`<li><bdi dir="auto">${message}</bdi></li>`);
  });

  it('is shown on the page of its unit as the cause of status changes', async () => {
    await tenant.add(addUnit, { slug: 'villa-9', unitId: 'V-9' });
    const body = { recordSystemId: 'deal-9', unit: 'villa-9', lead: { recordSystemId: 'form-1' } };
    const created = (await tenant.post('/reservations', body).expect(201)).body.reservation;
    const requested = await service.text(`/units/${organization}/${created.unitId}`);
    expect(requested).toContain(`Available → Reserved request about a reservation ${created._id}`);
    // The changes stay visible with more reservations than fit on one page.
    for (let index = 0; index < 26; index++) {
      await tenant.add(addReservation, unitId, { status: 'canceled' });
    }
    const reported = await service.text(pathOf('units', unitId));
    expect(reported).toContain('Unit V-7');
    const changes = `Available → Sold callback of reservation ${String(id)} .*Sold → Available .*Available → Sold`;
    expect(reported).toMatch(new RegExp(`Status changes .*${changes}`));
  });
});

it('a missing record returns 404 with the menu', async () => {
  const id = new ObjectId().toHexString();
  const { _id: lead } = await tenant.storedOne('leads');
  const paths = [
    `/leads/${organization}/${id}`,
    `/leads/${organization}/nonsense`,
    `/leads/${id}/${String(lead)}`,
    `/leads/${idOf(other)}/${String(lead)}`,
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
    expect({ path, ...(await service.post(`${path}/show`)) }).toMatchObject({ path, status: 404 });
  }
  expect(await tenant.count('operatorLog', { subjectId: id })).toBe(0);
});
