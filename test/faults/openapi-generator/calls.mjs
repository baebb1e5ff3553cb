// Calls every operation with the generated client, which CLIENT names. Exits with an error if a call throws.
import assert from 'node:assert/strict';

const { default: generated } = await import(process.env.CLIENT);

const configuration = new generated.Configuration({
  basePath: process.env.API_URL,
  apiKey: process.env.API_KEY,
});
const documented = new Set();
const called = new Set();

/** Returns the methods of a class with an operation each, and records which are called. */
function apiOf(Api) {
  const own = Object.getOwnPropertyNames(Api.prototype);
  const names = own.filter((name) => own.includes(`${name}Raw`));
  for (const name of names) documented.add(name);
  return new Proxy(new Api(configuration), {
    get: (api, name) => {
      if (documented.has(name)) called.add(name);
      return api[name];
    },
  });
}

const leads = apiOf(generated.LeadsApi);
const compounds = apiOf(generated.CompoundsApi);
const units = apiOf(generated.UnitsApi);
const reservations = apiOf(generated.ReservationsApi);
const events = apiOf(generated.EventsApi);
const health = apiOf(generated.HealthApi);
const keys = apiOf(generated.KeyApi);

async function callLeads() {
  const singleLeadDto = { recordSystemId: 'typescript', name: 'Mona', data: { rooms: [2, 3] } };
  const created = await leads.upsertLead({ singleLeadDto, idempotencyKey: 'typescript-1' });
  assert.deepEqual([created.ok, created.operation], [true, 'create']);
  assert.deepEqual(created.newLead, created.lead);
  const updated = await leads.upsertLead({ singleLeadDto, idempotencyKey: 'typescript-2' });
  assert.equal(updated.operation, 'update');
  const { lead } = await leads.readLead({ recordSystemId: 'typescript' });
  assert.deepEqual(lead.data, { name: 'Mona', rooms: [2, 3] });
  const { data: listed } = await leads.listLeads({ recordSystemId: 'typescript' });
  assert.deepEqual(
    listed.map(({ leadId }) => leadId),
    [lead.leadId],
  );
  const { data: key } = await keys.readKey();
  assert.ok(key.operations.includes('leads.list'));
  const { results } = await leads.upsertLeads({
    leadBatchDto: { leads: [{ name: 'Omar' }, { email: 'no address' }] },
  });
  assert.deepEqual(
    results.map(({ statusCode }) => statusCode),
    [201, 400],
  );
  const deleted = await leads.deleteLead({ recordSystemId: 'typescript' });
  assert.equal(deleted.lead.leadId, created.lead.leadId);
  await assert.rejects(leads.readLead({ recordSystemId: 'typescript' }), generated.ResponseError);
}

async function callUnits() {
  const [compound] = (await compounds.listCompounds({ limit: 1 })).data;
  const slug = compound?.slug ?? '';
  const [first] = (await compounds.listCompoundUnits({ slug })).data;
  const everything = await units.listUnits({ after: '0', limit: 100 });
  const { data } = await units.exportUnits();
  assert.equal(data.length, everything.pagination.total);
  const read = await units.readUnit({ slug: first?.slug ?? '' });
  assert.equal(read.data.id, first?.id);
  const upsertUnitDto = {
    recordSystemId: 'typescript',
    unitId: 'TS-1',
    compound: slug,
    name: 'Villa',
  };
  return (await units.upsertUnit({ upsertUnitDto })).unit.slug;
}

async function callReservations(unit) {
  const { reservation } = await reservations.upsertReservation({
    upsertReservationDto: {
      recordSystemId: 'typescript',
      unit,
      status: 'pending_cheque_collection',
      partnerCollection: true,
      cheques: [{ installmentId: '1', chequeAmount: 250_000 }],
    },
  });
  const reservationId = reservation.id;
  const cheque = { reservationId, installmentId: '1', chequeStatus: 'collected' };
  await reservations.reportReservationChange({ callbackDto: cheque });
  const { data } = await reservations.readReservation({ reservationId });
  assert.deepEqual([data.status, data.chequeWallet?.cheques[0]?.status], ['approved', 'collected']);
  const ofReservation = await reservations.listReservations({ recordSystemId: 'typescript' });
  assert.deepEqual(
    ofReservation.data.map(({ id }) => id),
    [reservationId],
  );
  const due = await reservations.listCheques({ reservation: 'typescript' });
  assert.deepEqual(
    due.data.map(({ status }) => status),
    ['collected'],
  );
  const compared = await reservations.reconcileCheques({
    reconciliationDto: { cheques: [cheque] },
  });
  assert.equal(compared.ok, true);
}

await callLeads();
await callReservations(await callUnits());
// The feed is empty, because the service of this test runs no worker that numbers events.
const feed = await events.readEvents({ after: 0, types: 'lead.*', wait: 0 });
assert.deepEqual(feed, { data: [], next: 0, hasMore: false });
assert.equal((await health.checkHealth()).ok, true);
assert.deepEqual(called, documented);
process.stdout.write('every operation succeeded\n');
