import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { DomainError } from '../../src/core/errors/domain-error.js';
import { isDatabaseUnavailable } from '../../src/core/database/connection/database-errors.js';
import { IdempotencyService } from '../../src/core/idempotency/idempotency.service.js';
import { LeadsService } from '../../src/leads/leads.service.js';
import { CallbacksService } from '../../src/reservations/callback/callbacks.service.js';
import { ReservationUpsertsService } from '../../src/reservations/upsert/reservation-upserts.service.js';
import type { Caller } from '../../src/tenants/keys/caller.js';
import { toOrganization } from '../../src/tenants/organizations/organization.js';
import { UnitUpsertsService } from '../../src/units/writing/unit-upserts.service.js';
import {
  addCatalogue,
  addCompound,
  addLead,
  addReservation,
  addUnit,
  addWallet,
} from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { storedRecords } from '../support/stored-records.js';
import { startFaultDatabase } from './support/fault-database.js';
import { report } from './support/random.js';

const database = await startFaultDatabase();
const service = await database.startService();
const { db } = service;
const { app } = service.service;

afterEach(() => database.recover());

const collections = [
  'leads',
  'clients',
  'units',
  'reservations',
  'chequeWallets',
  'changeLogs',
  'outboxEvents',
  'reservationCallbacks',
];

const phone = fc.constantFrom(
  '01000000001',
  '+20 100 000 0001',
  '０１００００００００２',
  '01000000002',
);
const lead = fc.record(
  {
    recordSystemId: fc.constantFrom('a', 'b', 'c', 'foreign'),
    name: fc.constantFrom('Mona', 'Adel'),
    email: fc.constantFrom('one@example.com', 'ONE@example.com', 'two@example.com'),
    phoneNumber: phone,
    phoneNumber2: phone,
    additionalData: fc.dictionary(fc.constantFrom('x', '$ref', '$id'), fc.nat(2), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);
const cheques = fc.constantFrom(
  [{ installmentId: '1', chequeAmount: 5 }],
  [{ installmentId: '2', chequeNumber: '7' }],
);
const reservation = fc.record(
  {
    recordSystemId: fc.constantFrom('a', 'b'),
    unit: fc.constantFrom<string | object>('free', 'held', 'none', { unitId: 'twice' }),
    lead: fc.constantFrom({ recordSystemId: 'lead' }, { recordSystemId: 'nobody' }),
    status: fc.constantFrom('pending', 'pending_cheque_collection', 'canceled', 'approved'),
    reopen: fc.boolean(),
    partnerCollection: fc.boolean(),
    cheques,
  },
  { requiredKeys: [] },
);
const callback = fc.record(
  {
    reservationId: fc.constantFrom('first', 'second', 'none'),
    installmentId: fc.constantFrom('1', '2'),
    chequeStatus: fc.constantFrom('pending', 'bounced', 'collected'),
    reservationStatus: fc.constantFrom('approved', 'canceled', 'pending'),
  },
  { requiredKeys: ['reservationId', 'installmentId'] },
);
const unit = fc.record(
  {
    recordSystemId: fc.constantFrom('u', 'v', 'w'),
    unitId: fc.constantFrom('1', '2', 'both'),
    compound: fc.constantFrom('palm', 'lake', 'nowhere'),
    name: fc.constantFrom<string | object>('Villa', { 'ar-eg': 'فيلا' }),
    propertyType: fc.constantFrom('Villa', 'castle', null),
    phase: fc.constantFrom('north', null),
    price: fc.nat(3),
    status: fc.constantFrom('Available', 'Blocked'),
    isDeleted: fc.boolean(),
  },
  { requiredKeys: ['unitId'] },
);

const kinds = { lead, reservation, callback, unit };
type Kind = keyof typeof kinds;
/** Generates concurrent requests of one kind, each with or without an Idempotency-Key. */
const burstOf = (kind: Kind, maxLength = 1) =>
  fc
    .array(fc.tuple(kinds[kind] as fc.Arbitrary<object>, fc.boolean()), { minLength: 1, maxLength })
    .map((requests) => requests.map(([body, isKeyed]) => ({ kind, body, isKeyed })));
/**
 * Only leads run in the order in which they are sent. Concurrent kinds must not share records, so reservations and
 * callbacks never run together.
 */
const concurrentRequests = fc
  .tuple(
    fc.option(burstOf('lead', 8), { nil: [] }),
    fc.option(burstOf('unit'), { nil: [] }),
    fc.option(fc.oneof(burstOf('reservation'), burstOf('callback')), { nil: [] }),
  )
  .map((bursts) => bursts.flat());

const writes = ['insert', 'update', 'findAndModify', 'bulkWrite'];
const commands = [...writes, 'find', 'aggregate', 'getMore', 'commitTransaction'];
const transient = { errorLabels: ['TransientTransactionError'] };
const fault = fc.option(
  fc.record({
    mode: fc.record({ skip: fc.nat(30), times: fc.integer({ min: 1, max: 2 }) }),
    data: fc.constantFrom<Document>(
      { failCommands: writes, errorCode: 112, ...transient },
      { failCommands: writes, errorCode: 121 },
      { failCommands: commands, closeConnection: true },
      { failCommands: ['commitTransaction'], errorCode: 251, ...transient },
    ),
  }),
);

/** Leads with these fields need no keys, so the background job for phones leaves them unchanged. */
const derived = { phoneKeys: [], phoneKeysOf: '[3,"EG"]', emailKey: '' };

/** Adds an organization with records of every kind, some of them as other programs write them. */
async function addTenantWithRecords() {
  const tenant = await service.addTenant();
  const { organizationId } = tenant;
  for (const slug of ['palm', 'lake']) {
    const compoundId = await tenant.add(addCompound, { 'en-us': slug }, { slug });
    const north = { slug: 'north', parentId: compoundId };
    if (slug === 'palm') await addCatalogue(db, 'phases', organizationId, north);
    for (const unitId of ['twice', 'both']) {
      await tenant.add(addUnit, { unitId, compoundId, slug: `${unitId} ${slug}` });
    }
  }
  const villa = { name: { 'en-us': 'Villa' }, slug: 'villa' };
  await addCatalogue(db, 'propertyTypes', organizationId, villa);
  await tenant.add(addLead, { recordSystemId: 'lead', leadId: 1, ...derived });
  // The service has to skip these numbers.
  for (const leadId of [2, 3]) await tenant.add(addLead, { leadId, ...derived });
  await tenant.add(addUnit, { slug: 'free' });
  const unitId = await tenant.add(addUnit, { slug: 'held', status: 'Reserved' });
  const reservations = new Map<string | undefined, ObjectId>();
  for (const name of ['first', 'second']) {
    const reservationId = await tenant.add(addReservation, unitId);
    reservations.set(name, reservationId);
    const cheque = { installmentId: '1', chequeAmount: 5 };
    await tenant.add(addWallet, { reservationId, unitId, cheques: [cheque] });
  }
  const document = await db.collection('organizations').findOne({ _id: organizationId });
  const caller: Caller = {
    organizationId,
    organization: toOrganization(document as never),
    apiKeyId: new ObjectId(),
    permissionsJson: '{}',
    requestId: '',
    language: 'en-us',
  };
  return { caller, reservations };
}

type Tenant = Awaited<ReturnType<typeof addTenantWithRecords>>;

/** Calls the service directly, because HTTP requests that are sent together arrive in any order. */
async function run({ caller, reservations }: Tenant, kind: Kind, body: object): Promise<unknown> {
  if (kind === 'lead') return app.get(LeadsService).upsert(caller, body);
  if (kind === 'unit') return app.get(UnitUpsertsService).upsert(caller, body);
  if (kind === 'reservation') return app.get(ReservationUpsertsService).upsert(caller, body);
  const { reservationId: name } = body as { reservationId?: string };
  const reservationId = reservations.get(name)?.toHexString() ?? 'f'.repeat(24);
  const payload = { ...body, reservationId };
  return app.get(CallbacksService).handle(caller, payload, { id: '', body: payload });
}

/** Returns the result or the refusal of a request, or the failure of one that stored nothing. */
async function outcomeOf(response: Promise<unknown>) {
  try {
    return { value: await response };
  } catch (error) {
    if (!(error instanceof DomainError)) return { failure: error };
    return { refusal: [error.message, error.messages, error.headers] };
  }
}

/** Claims a new Idempotency-Key, so that the tenant may run one request with it. */
async function withIdempotencyKey({ caller, ...tenant }: Tenant): Promise<Tenant> {
  const fingerprints = { fingerprint: '', valueFingerprint: '' };
  const request = { caller, key: randomUUID(), ...fingerprints, headersSoFar: () => ({}) };
  const { claim } = await app.get(IdempotencyService).begin(request);
  return { ...tenant, caller: { ...caller, ...(claim && { claim }) } };
}

/**
 * Creates, as another program would, a lead that the requests may also create. Returns false if a request
 * created it first.
 */
function addForeignLead({ caller: { organizationId } }: Tenant): Promise<boolean> {
  const fields = { recordSystemId: 'foreign', leadId: 50_000, ...derived };
  return addLead(db, organizationId, fields).then(
    () => true,
    () => false,
  );
}

it('concurrent requests have the same results as sequential ones under random failures', async () => {
  let [requests, failures, unknown] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(concurrentRequests, fault), { minLength: 1, maxLength: 3 }),
      async (steps) => {
        const [grouped, sequential] = [await addTenantWithRecords(), await addTenantWithRecords()];
        const outcomes: unknown[] = [];
        const expected: unknown[] = [];
        for (const [sent, failing] of steps) {
          const callers = await Promise.all(
            sent.map(async ({ isKeyed }) => (isKeyed ? withIdempotencyKey(grouped) : grouped)),
          );
          if (failing !== null) await database.fail(failing.data, failing.mode);
          const running = callers.map((tenant, index) => {
            const { kind, body } = sent[index] as (typeof sent)[number];
            return outcomeOf(run(tenant, kind, body));
          });
          const isFirst = await addForeignLead(grouped);
          const handled = await Promise.all(running);
          await database.recover();
          requests += sent.length;
          const failed = handled.filter((outcome) => outcome.failure !== undefined);
          failures += failed.length;
          // A real client does not know either whether such a request was stored, so this run is skipped.
          const isUnknown = failed.some(({ failure }) => isDatabaseUnavailable(failure));
          unknown += Number(isUnknown);
          fc.pre(!isUnknown);
          if (isFirst) await addForeignLead(sequential);
          for (const [index, outcome] of handled.entries()) {
            if (outcome.failure !== undefined) continue;
            outcomes.push(outcome);
            const { kind, body } = sent[index] as (typeof sent)[number];
            expected.push(await outcomeOf(run(sequential, kind, body)));
            const { claim } = callers[index]?.caller ?? {};
            if (claim === undefined) continue;
            const records = db.collection('idempotencyRecords');
            const record = await records.findOne({ _id: claim.recordId });
            const { status } = (record?.['response'] ?? {}) as { status?: number };
            expect(status).toBe(claim.response?.status);
            // Refusals of other requests are stored after their transaction.
            if (kind === 'lead' || outcome.value !== undefined) expect(status).toBeDefined();
          }
        }
        const stored = ({ caller: { organizationId } }: Tenant, of: readonly unknown[]) =>
          storedRecords(db, organizationId, collections, of);
        expect(await stored(grouped, outcomes)).toEqual(await stored(sequential, expected));
      },
    ),
    { numRuns: rounds(20, 1_000), endOnFailure: true },
  );
  report(`${requests} requests, ${failures} failed, ${unknown} runs with an unknown outcome`);
});
