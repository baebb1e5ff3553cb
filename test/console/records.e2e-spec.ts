import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { RequestRecorder } from '../../src/operator/request-log/request-recorder.js';
import { addCompound, addReservation, addUnit, addUser, addWallet } from '../support/builders.js';
import { createEraser } from '../erasures/personal-data.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';
import {
  cardOf,
  cardText,
  fieldIn,
  linesIn,
  linkIn,
  refreshSecondsOf,
  rowsIn,
} from './page-parts.js';

let service: TestConsole;
let tenant: TenantApi;
let other: TenantApi;
let organization: string;

beforeAll(async () => {
  service = await startConsole({}, randomDatabaseUri());
  [tenant, other] = [await service.addTenant(), await service.addTenant()];
  organization = tenant.organizationId.toHexString();
});
afterAll(() => service.stop());

const idOf = ({ organizationId }: TenantApi) => organizationId.toHexString();
const pathOf = (kind: string, id: ObjectId) => `/${kind}/${organization}/${id.toHexString()}`;
const storeLog = () => service.service.app.get(RequestRecorder).store();

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
  });

  it('shows every change with request and key, and its events', async () => {
    const { html } = await service.get(path);
    expect(textOf(html)).toContain(`Lead ${leadId} Nile Homes`);
    expect(linesIn(cardOf(html, 'Changes'))).toEqual([
      expect.stringMatching(
        / External Lead Update Website 1 field data\.budget : – → •+ Request second-request$/,
      ),
      expect.stringMatching(/ External Lead Create Website \d+ fields .* Request /),
    ]);
    expect(linesIn(cardOf(html, 'Events, and who received them'))).toEqual([
      expect.stringMatching(
        / lead\.updated not sent yet Number – in the feed · request second-request$/,
      ),
      expect.stringMatching(/ lead\.created not sent yet /),
    ]);
    expect(html).toContain('data-copy="second-request"');
  });

  it('shows the names of its compounds and its assignee, or their ids', async () => {
    const compound = await tenant.add(addCompound, { 'en-us': 'Lake' });
    const user = await tenant.add(addUser, 'Omar Nabil');
    const unknown = new ObjectId();
    const fields = { compoundsIds: [compound, unknown], assignedToId: user };
    await tenant.set('leads', { _id: id }, fields);
    const { html } = await service.get(path);
    expect(fieldIn(html, 'Assigned to')).toBe('Omar Nabil');
    expect(fieldIn(html, 'Compounds')).toBe(`Lake ${String(unknown)}`);
    await tenant.set('leads', { _id: id }, { assignedToId: unknown });
    expect(fieldIn((await service.get(path)).html, 'Assigned to')).toBe(String(unknown));
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
    // `bdi` isolates values that are written from right to left.
    expect(html).toContain(`${phone}</bdi>`);
    expect(textOf(html)).toContain('Personal data is shown, and the operator log says so. Hide it');
    expect(linkIn(html, path)).toBe(path);
    const entry = { action: 'lead.show', subject: 'lead', result: 'done', address: '127.0.0.1' };
    expect(await entries()).toMatchObject([entry]);
    expect(await service.text('/log')).toContain(`personal data shown lead ${String(id)} – done`);
    // The values are hidden again when the page is reloaded.
    expect(shownIn((await service.get(path)).html)).toEqual([]);
  });

  it('shows a long history page by page, and returns 400 for an invalid cursor', async () => {
    const post = (step: number) =>
      tenant
        .post('/leads', { recordSystemId: 'long', data: { step } })
        .set('x-request-id', `step-${step}-`);
    const { body } = await post(0).expect(201);
    for (let step = 1; step <= 29; step++) await post(step).expect(200);
    const long = `/leads/${organization}/${body.lead._id}`;
    const stepsIn = (html: string) => [
      ...new Set([...html.matchAll(/step-(\d+)-/g)].map(([, step]) => Number(step))),
    ];
    const steps = Array.from({ length: 30 }, (_, index) => 29 - index);
    const { html } = await service.get(long);
    for (const [title, list] of [
      ['Changes', 'changes'],
      ['Events, and who received them', 'events'],
    ] as const) {
      expect(stepsIn(cardOf(html, title))).toEqual(steps.slice(0, 25));
      const older = (await service.get(linkIn(html, `${list}=`))).html;
      expect(stepsIn(cardOf(older, title))).toEqual(steps.slice(25));
      expect(cardText(older, title)).toContain('First page');
    }
    const invalid = await service.get(`${long}?changes=x`);
    expect(invalid.status).toBe(400);
    expect(textOf(invalid.html)).toContain('The address or the form is invalid.');
  });

  it('that was erased shows no personal data, even to a reader who asks', async () => {
    const lead = { recordSystemId: 'erased-1', name: 'Salma Aziz', phoneNumber: '01007654321' };
    const { body } = await tenant.post('/leads', lead).expect(201);
    const erased = pathOf('leads', new ObjectId(String(body.lead._id)));
    await (await createEraser(service as never, tenant)).erase('erased-1');
    const { html } = await service.get(erased);
    const shown = (await service.post(`${erased}/show`)).html;
    expect(/Salma|7654321/.exec(html + shown)).toBeNull();
    // Its history stays visible.
    expect(cardText(html, 'Changes')).toContain('External Lead Create');
  });
});

it('a unit shows its reservations page by page, even when they have no times', async () => {
  const unitId = await tenant.add(addUnit);
  for (let index = 0; index < 30; index++) await tenant.add(addReservation, unitId);
  const options = { bypassDocumentValidation: true };
  const unset = { $unset: { createdAt: '' } };
  await service.db.collection('reservations').updateMany({ unitId }, unset, options);
  const ids = (html: string) => [...new Set(html.match(/reservations\/\w{24}\/\w{24}/g))];
  const first = await service.get(pathOf('units', unitId));
  const last = await service.get(linkIn(first.html, 'reservations='));
  expect([ids(first.html).length, ids(last.html).length]).toEqual([25, 5]);
  expect(new Set([...ids(first.html), ...ids(last.html)]).size).toBe(30);
  const haveNextPage = [first, last].map(({ html }) => textOf(html).includes('Next page'));
  expect(haveNextPage).toEqual([true, false]);
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

  it('begins with the last refused callback, what it means and what to do', async () => {
    const { html } = await service.get(path);
    const first = cardText(html, 'The last refused callback');
    expect(first).toContain('Reservation must be pending cheque collection before OIC approval');
    expect(first).toMatch(/ What to do: \S/);
    expect(first).toContain(' Response 422 Error code ');
    expect(first).toContain(
      ' Sent reservationStatus=approved What it did nothing Key Website Request refused',
    );
    expect(html.indexOf('The last refused callback')).toBeLessThan(html.indexOf('>Now<'));
  });

  it('shows fields and effects of callbacks, newest first', async () => {
    const { html } = await service.get(path);
    const lines = linesIn(cardOf(html, 'Timeline')).filter((line) =>
      /\d{3} (?:applied|refused)/.test(line),
    );
    const parts = [
      ['422 refused', 'approved', 'What it did nothing'],
      [
        '201 applied',
        'c1 collected',
        'Sent installmentId=c1 chequeStatus=collected',
        'Reservation canceled → approved',
        'Cheque bounced → collected',
        'Unit Available → Sold',
        'Wallet restored',
      ],
      [
        '201 applied',
        'c1 bounced',
        'Sent installmentId=c1 chequeStatus=bounced chequeNumber=77',
        'Reservation approved → canceled',
        'Unit Sold → Available',
        'Wallet deleted',
      ],
      [
        '201 applied',
        'approved',
        'Sent reservationStatus=approved',
        'Reservation pending_cheque_collection → approved',
        'Unit Available → Sold',
      ],
    ];
    expect(lines).toHaveLength(parts.length);
    for (const [index, expected] of parts.entries()) {
      expect(expected.filter((part) => !lines[index]?.includes(part))).toEqual([]);
    }
    // The callback of another organization got this message.
    expect(textOf(html)).not.toContain('Reservation not found');
    // Values of unknown fields are not stored.
    expect(textOf(html)).not.toContain('Mona');
    expect(rowsIn(cardOf(html, 'Cheques')).slice(0, 1)).toEqual([
      ['c1', 'collected', '77', '–', '–', 'active', '–'],
    ]);
    expect(textOf(html)).toMatch(
      / All 2 reports of cheques .* c1 collected – – External API .* c1 bounced 77 – External API/,
    );
    expect(textOf(html)).toMatch(
      /Status over time: pending_cheque_collection .*→ approved \(by a callback, .*→ canceled \(by a callback, .*→ approved \(by a callback, /,
    );
  });

  it('names the field because of which an accepted callback changed nothing', async () => {
    const misspelled = await addWithCheque('deal-10', 'm1');
    const reservationId = misspelled.toHexString();
    await callback({ reservationId, installmentID: 'm1', chequestatus: 'collected' }).expect(201);
    const page = pathOf('reservations', misspelled);
    // Names are in the request log, which is stored some seconds later.
    await storeLog();
    const { html } = await service.get(page);
    const text = cardText(html, 'The last callback without effect');
    expect(text).toMatch(
      /does not have \((?:installmentID, chequestatus|chequestatus, installmentID)\)\. Did it mean (?:installmentId, chequeStatus|chequeStatus, installmentId)\?/,
    );
    expect(text).toMatch(/Response 201 /);
    expect(linesIn(cardOf(html, 'Timeline'))).toEqual([
      expect.stringContaining('201 changed nothing Website'),
    ]);
  });

  it('does not show the ignored fields of other organizations that use the same request id', async () => {
    const reservationId = (await addWithCheque('deal-11', 's1')).toHexString();
    const requestId = 'chosen-by-two-partners';
    const misspelled = { reservationId, installmentID: 's1', chequestatus: 'collected' };
    await callback(misspelled).set('x-request-id', requestId).expect(201);
    const lead = { recordSystemId: 'shared-id-1', fieldOfOthers: 'x' };
    await other.post('/leads', lead).set('x-request-id', requestId).expect(201);
    await storeLog();
    const { html } = await service.get(pathOf('reservations', new ObjectId(reservationId)));
    expect(html).toContain('chequestatus');
    expect(html).not.toContain('fieldOfOthers');
  });

  it.each([
    [
      { wallet: false },
      { installmentId: 'e1', chequeStatus: 'collected' },
      'has no wallet with this installment',
    ],
    [{}, { reservationStatus: 'expired' }, 'the status expired has no effect: only approved and '],
    [{}, { installmentId: 'e1' }, 'it sent installmentId without chequeStatus'],
    [
      { wallet: false, status: 'canceled' },
      { reservationStatus: 'canceled' },
      'everything was already as it reported.',
    ],
  ])('with %j explains why the callback %j changed nothing', async (given, body, reason) => {
    const { wallet = true, ...fields } = given as { wallet?: boolean };
    const unit = await tenant.add(addUnit);
    const reservationId = await tenant.add(addReservation, unit, fields);
    const cheques = [{ installmentId: 'e1' }];
    if (wallet) await tenant.add(addWallet, { reservationId, unitId: unit, cheques });
    const report = { reservationId: reservationId.toHexString(), ...body };
    await callback(report).expect(201);
    const { html } = await service.get(pathOf('reservations', reservationId));
    expect(cardText(html, 'The last callback without effect')).toContain(reason);
  });

  it('has nothing to explain about a callback that changed only the wallet', async () => {
    const canceled = await tenant.add(addReservation, unitId, { status: 'canceled' });
    const cheques = [{ installmentId: 'w1' }];
    await tenant.add(addWallet, { reservationId: canceled, unitId, cheques });
    const report = { reservationId: canceled.toHexString(), reservationStatus: 'canceled' };
    await callback(report).expect(201);
    const { html } = await service.get(pathOf('reservations', canceled));
    expect(linesIn(cardOf(html, 'Timeline')).join(' ')).toMatch(
      /201 applied .*What it did Wallet deleted/,
    );
    expect(textOf(html)).not.toContain('changed nothing');
  });

  it('has nothing to explain while all callbacks were applied', async () => {
    const unit = await tenant.add(addUnit);
    const reservationId = await tenant.add(addReservation, unit);
    const page = pathOf('reservations', reservationId);
    expect(await service.text(page)).toContain('Nothing has happened yet');
    const report = { reservationId: reservationId.toHexString(), reservationStatus: 'approved' };
    await callback(report).expect(201);
    expect(await service.text(page)).not.toMatch(/The last (?:refused )?callback/);
  });

  it('shows all messages, hides refused values, and links the blocking reservation', async () => {
    const blocked = await addWithCheque('deal-8', 'other');
    const report = { reservationId: blocked.toHexString(), installmentId: 'other' };
    await callback({ ...report, chequeStatus: 'bounced' }).expect(201);
    await callback({ ...report, chequeStatus: 'collected' }).expect(422);
    const { html } = await service.get(pathOf('reservations', blocked));
    const refused = cardOf(html, 'The last refused callback');
    expect(textOf(refused)).toContain('This unit already reserved');
    expect(fieldIn(refused, 'Blocked by')).toBe(`reservation ${String(id)}`);
    expect(linkIn(refused, '/reservations/')).toBe(path);
    const invalid = { installmentId: 'c1', chequeStatus: 'nonsense', chequeAmount: 'x' };
    await callback(invalid).expect(400);
    const page = (await service.get(path)).html;
    expect(page).toContain('chequeStatus=•••••• (string of 8)');
    expect(page).not.toContain('nonsense');
    expect(cardText(page, 'The last refused callback')).toMatch(
      /chequeAmount must be .* chequeStatus must be/,
    );
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

  it('loads itself again every minute', async () => {
    expect(refreshSecondsOf((await service.get(path)).html)).toBe(60);
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
    '/catalogue',
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
