import type { Chapter, DemoRun } from './demo-run.js';

/** A reservation from the first visit to the last cheque, as a CRM and a collection partner see it. */
export const reservationChapters: readonly Chapter[] = [
  { title: 'The CRM reserves a unit for a lead', execute: reserve },
  { title: 'It adds the cheques that a collection partner collects', execute: addCheques },
  { title: 'The partner collects the first cheque: the unit is sold', execute: collect },
  { title: 'The cheque bounces after all: the reservation is canceled', execute: bounce },
  { title: 'Another buyer takes the unit', execute: sellToAnother },
  {
    title: 'The cheque is recovered too late: it is stored, the reservation stays canceled',
    execute: recoverTooLate,
  },
  {
    title: 'The other buyer withdraws: the cheque bounces again and is recovered',
    execute: recover,
  },
  { title: "The partner compares its ledger: one cheque's status differs", execute: reconcile },
];

const unit = 'pm-a-001';
/** The external id of the reservation that the story is about. */
export const deal = 'deal-1';
const otherDeal = 'deal-2';
const bounced = { installmentId: 'first', chequeStatus: 'bounced' };
const collected = { installmentId: 'first', chequeStatus: 'collected', chequeAmount: 250_000 };

async function reserve(run: DemoRun): Promise<void> {
  const lead = { recordSystemId: 'buyer-1', name: 'Heba Mansour' };
  await run.client.ask({ method: 'POST', path: 'leads', body: lead }, { status: 201, body: {} });
  await save(run, 201, {
    recordSystemId: deal,
    unit,
    lead: { recordSystemId: lead.recordSystemId },
  });
}

async function addCheques(run: DemoRun): Promise<void> {
  await save(run, 200, {
    recordSystemId: deal,
    status: 'pending_cheque_collection',
    partnerCollection: true,
    cheques: [
      { installmentId: 'first', chequeNumber: '000123', chequeAmount: 250_000 },
      { installmentId: 'second', chequeAmount: 250_000, dueDate: '2027-01-01' },
    ],
  });
}

async function collect(run: DemoRun): Promise<void> {
  const reservationId = await idOf(run, deal);
  await callBack(
    run,
    { reservationId, ...collected },
    { reservation: 'applied', cheque: 'applied' },
  );
  await read(run, reservationId, { status: 'approved' });
}

async function bounce(run: DemoRun): Promise<void> {
  const reservationId = await idOf(run, deal);
  await callBack(run, { reservationId, ...bounced }, { reservation: 'applied', cheque: 'applied' });
  await read(run, reservationId, { status: 'canceled', chequeWallet: { isDeleted: true } });
}

async function sellToAnother(run: DemoRun): Promise<void> {
  const recordSystemId = otherDeal;
  await save(run, 201, { recordSystemId, unit, status: 'pending_cheque_collection' });
  const reservationId = await idOf(run, recordSystemId);
  const approved = { reservationId, reservationStatus: 'approved' };
  await callBack(run, approved, { reservation: 'applied' });
}

async function recoverTooLate(run: DemoRun): Promise<void> {
  const reservationId = await idOf(run, deal);
  await run.client.show(callback({ reservationId, ...collected }), {
    status: 422,
    headers: { 'x-callback-cheque': 'applied' },
    body: { message: 'This unit already reserved', error: 'Unprocessable Entity' },
  });
  await read(run, reservationId, { status: 'canceled' });
}

async function recover(run: DemoRun): Promise<void> {
  const other = await idOf(run, otherDeal);
  const canceled = { reservationStatus: 'canceled' };
  await callBack(run, { reservationId: other, ...canceled }, { reservation: 'applied' });
  const reservationId = await idOf(run, deal);
  await callBack(run, { reservationId, ...bounced }, { cheque: 'applied' });
  await callBack(
    run,
    { reservationId, ...collected },
    { reservation: 'applied', cheque: 'applied' },
  );
  await read(run, reservationId, { status: 'approved', chequeWallet: { isDeleted: false } });
}

async function reconcile(run: DemoRun): Promise<void> {
  const reservationId = await idOf(run, deal);
  const ledger = [collected, { installmentId: 'second', chequeStatus: 'post_dated' }];
  const body = { cheques: ledger.map((cheque) => ({ reservationId, ...cheque })) };
  const differences = [{ index: 1, kind: 'status', ours: 'pending', theirs: 'post_dated' }];
  await run.client.show(
    { method: 'POST', path: 'reservations/reconciliation', body },
    { status: 200, body: { ok: false, compared: 2, matching: 1, differences } },
  );
}

async function save(run: DemoRun, status: 200 | 201, body: object): Promise<void> {
  const {
    unit: _unit,
    lead: _lead,
    partnerCollection,
    cheques,
    ...fields
  } = body as ReservationBody;
  const operation = status === 201 ? 'create' : 'update';
  const isActive = partnerCollection ?? false;
  const reservation = {
    ...fields,
    partnerCollection: { isActive },
    ...(cheques === undefined ? {} : { chequeWallet: { isDeleted: false } }),
  };
  const request = { method: 'POST', path: 'reservations', body } as const;
  await run.client.show(request, { status, body: { ok: true, operation, reservation } });
}

interface ReservationBody {
  readonly unit?: unknown;
  readonly lead?: unknown;
  readonly partnerCollection?: boolean;
  readonly cheques?: unknown;
}

async function callBack(
  run: DemoRun,
  body: object,
  { reservation = 'unchanged', cheque = 'none' }: { reservation?: string; cheque?: string },
): Promise<void> {
  const headers = { 'x-callback-reservation': reservation, 'x-callback-cheque': cheque };
  await run.client.show(callback(body), { status: 201, headers, body: '' });
}

async function read(run: DemoRun, reservationId: string, data: object): Promise<void> {
  const request = { method: 'GET', path: `reservations/${reservationId}` } as const;
  await run.client.show(request, { status: 200, body: { data } });
}

/** The id that the API gave a reservation; the CRM has kept it. */
async function idOf(run: DemoRun, recordSystemId: string): Promise<string> {
  const request = { method: 'POST', path: 'reservations', body: { recordSystemId } } as const;
  const { body } = await run.client.ask(request, { status: 200, body: { operation: 'update' } });
  return (body as { reservation: { _id: string } }).reservation._id;
}

function callback(body: object) {
  return { method: 'POST', path: 'reservations/webhook', body } as const;
}
