import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { CatalogueImportsService } from '../../src/operator/catalogue-import/catalogue-imports.service.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { RequestRecorder } from '../../src/operator/request-log/request-recorder.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import {
  addKey,
  addReservation,
  addWallet,
  conventions,
  publishedEvents,
} from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Receiver } from '../support/receiver.js';
import type { TenantApi } from '../support/tenant-api.js';
import type { TestConsole } from './console-client.js';
import { addUsage } from './sample-usage.js';

export interface SamplePages {
  readonly lead: string;
  readonly reservation: string;
  readonly unit: string;
  readonly endpoint: string;
  readonly disabledEndpoint: string;
  readonly delivery: string;
  readonly partner: string;
  readonly organization: string;
  /** Id of a refused request of the partner. */
  readonly refusedRequest: string;
  /** Id that callbacks named, but no reservation has. */
  readonly unknownReservation: string;
}

const hourMs = 3_600_000;
const compounds = [
  { slug: 'palm-meadows', name: { 'en-us': 'Palm Meadows', 'ar-eg': 'مروج النخيل' } },
  { slug: 'lake-view', name: { 'en-us': 'Lake View Residences', 'ar-eg': 'مساكن البحيرة' } },
];
const propertyTypes = [{ slug: 'villa', name: { 'en-us': 'Villa', 'ar-eg': 'فيلا' } }];
const unit = (index: number) => ({
  slug: `palm-villa-${index}`,
  unitId: `PM-V-${index}`,
  name: { 'en-us': `Villa ${index}`, 'ar-eg': `فيلا ${index}` },
  propertyType: 'villa',
  compound: index % 3 === 0 ? 'lake-view' : 'palm-meadows',
  status: ['Available', 'Available', 'Sold', 'Available', 'Reserved'][index % 5] ?? 'Available',
  price: 4_750_000 + index * 125_000,
});

/**
 * Stores many records for every page: partners of which one is silent, one is refused and one could be reduced, a
 * catalogue, a lead with changes, a reservation with refused and ineffective callbacks, and endpoints of which one fails
 * and one responded 410.
 */
export async function addSamples(service: TestConsole, receiver: Receiver): Promise<SamplePages> {
  const { app } = service.service;
  const tenant = await service.addTenant();
  // Another organization has the same name.
  await service.addTenant();
  const organization = tenant.organizationId.toHexString();
  const id = new Types.ObjectId(organization);
  const units = Array.from({ length: 24 }, (_, index) => unit(index));
  const imports = app.get(CatalogueImportsService, { strict: false });
  await imports.import(id, { compounds, propertyTypes, units });
  await addPartners(service, tenant);

  const add = async (url: string, ...eventTypes: string[]) => {
    const endpoints = app.get(WebhookEndpointsService);
    return (await endpoints.add(id, { url, eventTypes })).endpoint._id;
  };
  const crm = await add(`${receiver.url}?token=abc123`, 'lead.*');
  const finance = await add(`${receiver.url}/finance/reservations`, 'reservation.*', 'wallet.*');
  receiver.respondWith(204);
  const leadId = await addLeads(tenant);
  const reservation = await addReservationHistory(tenant, new ObjectId(leadId));
  await eventually(async () => {
    const pending = await tenant.count('webhookDeliveries', { status: 'pending' });
    const all = await tenant.count('webhookDeliveries');
    if (pending > 0 || all < 5) throw new Error(`${pending} of ${all} are pending`);
  });
  const failure = { error: 'Cannot store: ask ops@finance.example or 0100 123 9876' };
  receiver.respondWith(({ path }, response) =>
    path.includes('/finance/')
      ? response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(failure))
      : response.writeHead(410).end('gone, says Mona'),
  );
  await tenant.post('/leads', { ...lead, data: { budget: 5_500_000 } }).expect(200);
  await reservation.change();
  let delivery: unknown;
  await eventually(async () => {
    ({ _id: delivery } = await tenant.storedOne('webhookDeliveries', { status: 'failed' }));
    await tenant.storedOne('webhookDeliveries', { status: 'pending', attempts: { $gt: 0 } });
  });
  await addDeliveries(service, tenant, finance);
  await addOtherEndpoints(service, tenant);
  await addWebhookStatistics(service, tenant, [crm, finance]);
  const requests = await addRefusedRequests(service, tenant);
  return {
    lead: `/leads/${organization}/${leadId}`,
    reservation: reservation.path,
    unit: reservation.unit,
    endpoint: `/webhooks/${finance.toHexString()}`,
    disabledEndpoint: `/webhooks/${crm.toHexString()}`,
    delivery: `/webhooks/deliveries/${String(delivery)}`,
    organization,
    ...requests,
  };
}

const lead = {
  recordSystemId: 'website-form-2026-000471',
  name: 'Mona Farid',
  phoneNumber: '01001239876',
  email: 'mona.farid@example.com',
};

/** @returns the id of the first lead */
async function addLeads(tenant: TenantApi): Promise<string> {
  const data = { budget: 5_000_000, rooms: '4', source: 'website' };
  const { body } = await tenant.post('/leads', { ...lead, project: 'Palm Meadows' }).expect(201);
  // A search for the reservation's external id also finds this lead.
  const other = { recordSystemId: 'deal-2026-0093', name: 'Adel Hanna' };
  await tenant.post('/leads', other).expect(201);
  await tenant.post('/leads', { ...lead, data }).expect(200);
  return String(body.lead._id);
}

/** Sends requests of a website that are refused, or of which something is ignored. */
async function addRefusedRequests({ db, service }: TestConsole, tenant: TenantApi) {
  const partner = new ObjectId();
  const name = 'Nile Homes website';
  const key = await tenant.add(addKey, { _id: partner, name });
  const website = tenant.with(key);
  const unknownReservation = new ObjectId().toHexString();
  const duplicate = { recordSystemId: 'web-1', phoneNumber: lead.phoneNumber };
  for (let turn = 0; turn < 12; turn++) {
    await website.post('/leads', { ...duplicate, recordSystemId: `web-${turn}` }).expect(400);
    await website.post('/leads', { recordSystemId: `web-${turn}`, email: 'none' }).expect(400);
    await website.get(`/leads/web-${turn}`).expect(404);
  }
  const unknown = {
    recordSystemId: 'web-50',
    fullName: 'Omar',
    mobile: '01112223334',
    city: 'Giza',
  };
  for (let turn = 0; turn < 4; turn++) {
    await website.post('/leads', { ...unknown, recordSystemId: `web-5${turn}` }).expect(201);
    const project = 'Palm Medows';
    await website.post('/leads', { recordSystemId: `web-6${turn}`, project }).expect(201);
  }
  const report = {
    reservationId: unknownReservation,
    installmentId: '1',
    chequeStatus: 'collected',
  };
  await website.post('/reservations/webhook', report).expect(404);
  const { headers } = await website.post('/leads', duplicate).expect(400);
  await service.app.get(RequestRecorder).store();
  await service.app.get(UsageRecorder).store();
  await addUsage(db, [{ keyId: partner, calls: () => 30, refused: 0.1 }]);
  return {
    partner: `/partners/${partner.toHexString()}`,
    refusedRequest: String(headers['x-request-id']),
    unknownReservation,
  };
}

/** Stores deliveries of all states, so that the list has several pages. */
async function addDeliveries(
  { db }: TestConsole,
  { organizationId }: TenantApi,
  endpointId: Types.ObjectId,
): Promise<void> {
  const startedAt = new Date(Date.now() - 2 * hourMs);
  const attempt = { round: 1, url: 'https://x.example', startedAt, milliseconds: 120 };
  const events: Document[] = publishedEvents(organizationId, 60, {
    type: 'reservation.updated',
    numberedAt: startedAt,
    sequence: 0,
    createdAt: startedAt,
  }).map((event, index) => ({ ...event, sequence: 10_000 + index }));
  await db.collection('outboxEvents').insertMany(events);
  await db.collection('webhookDeliveries').insertMany(
    events.map(({ _id, data }, index) => {
      const isFailed = index % 6 === 0;
      return {
        ...conventions(organizationId),
        endpointId: new ObjectId(endpointId.toHexString()),
        eventId: _id,
        type: 'reservation.updated',
        objectId: data._id,
        bytes: 300,
        round: 1,
        status: isFailed ? 'failed' : 'delivered',
        attempts: isFailed ? 10 : 1,
        failureReason: isFailed ? 'exhausted' : null,
        nextAttemptAt: startedAt,
        createdAt: startedAt,
        completedAt: startedAt,
        log: [
          { ...attempt, attempt: 1, statusCode: isFailed ? 503 : 204, response: null, error: null },
        ],
      };
    }),
  );
}

async function addOtherEndpoints(
  { service: { app } }: TestConsole,
  { organizationId }: TenantApi,
): Promise<void> {
  const endpoints = app.get(WebhookEndpointsService);
  const id = new Types.ObjectId(organizationId.toHexString());
  for (let index = 1; index <= 30; index++) {
    const url = `https://hooks-${index}.partner.example/events`;
    const { endpoint } = await endpoints.add(id, { url, eventTypes: ['client.*'] });
    if (index % 9 === 0) await endpoints.disable(endpoint._id);
  }
}

async function addPartners({ db }: TestConsole, tenant: TenantApi): Promise<void> {
  const longAgo = new Date(Date.now() - 30 * 24 * hourMs);
  const addNamedKey = async (name: string, fields: object = {}): Promise<ObjectId> => {
    const _id = new ObjectId();
    await tenant.add(addKey, { _id, name, createdAt: longAgo, ...fields });
    return _id;
  };
  const duringOfficeHours = (hour: Date) =>
    hour.getUTCHours() >= 6 && hour.getUTCHours() < 16 ? 300 + 40 * hour.getUTCHours() : 20;
  const stoppedAt = Date.now() - 30 * hourMs;
  const untilStopped = (hour: Date) => (hour.getTime() < stoppedAt ? 120 : 0);
  const [crm, portal] = [await addNamedKey('Sakan CRM'), await addNamedKey('Aqar portal')];
  const expiresAt = new Date(Date.now() + 3 * 24 * hourMs);
  await addUsage(db, [
    { keyId: portal, calls: duringOfficeHours },
    { keyId: crm, calls: duringOfficeHours, refused: 0.01 },
    { keyId: await addNamedKey('Cheque collector', { expiresAt }), calls: () => 12 },
    {
      keyId: await addNamedKey('Landing page of the autumn campaign'),
      calls: () => 9,
      refused: 0.6,
    },
    { keyId: await addNamedKey('Old CRM'), calls: untilStopped },
  ]);
  for (let index = 1; index <= 30; index++) await addNamedKey(`Broker ${index}`);
  await addNamedKey('Revoked', { revokedAt: longAgo });
  const at = new Date(Date.now() - hourMs);
  await db.collection<{ _id: ObjectId }>('keyActivity').insertMany([
    {
      _id: crm,
      since: longAgo,
      operations: { 'events:read': at, 'leads:read': at },
      feed: { at, after: 1 },
    },
    { _id: portal, since: longAgo, operations: { 'catalogue:read': at } },
  ] as never);
}

async function addReservationHistory(tenant: TenantApi, leadId: ObjectId) {
  const { _id: unitId } = await tenant.storedOne('units', { slug: 'palm-villa-5' });
  const fields = { recordSystemId: 'deal-2026-0093', leadId };
  const reservationId = await tenant.add(addReservation, unitId, fields);
  const cheques = [1, 2, 3].map((index) => ({
    installmentId: `installment-${index}`,
    chequeNumber: `00${index}7743`,
    chequeAmount: 250_000,
    dueDate: new Date(Date.UTC(2027, index, 15)),
  }));
  await tenant.add(addWallet, { reservationId, unitId, cheques });
  const installmentId = 'installment-1';
  for (const [report, status] of [
    [{ reservationStatus: 'approved', note: 'Mona Farid has paid the first one' }, 201],
    [{ installmentId, chequeStatus: 'bounced', chequeNumber: '0017743' }, 201],
    [{ installmentId, chequeStatus: 'collected' }, 201],
    // A misspelled field changes nothing.
    [{ installmentID: 'installment-2', chequeStatus: undefined }, 201],
    [{ reservationStatus: 'approved' }, 422],
  ] as const) {
    const body = { reservationId: reservationId.toHexString(), ...report };
    await tenant.post('/reservations/webhook', body).expect(status);
  }
  const organization = tenant.organizationId.toHexString();
  return {
    path: `/reservations/${organization}/${reservationId.toHexString()}`,
    unit: `/units/${organization}/${String(unitId)}`,
    change: () =>
      tenant.post('/reservations', { recordSystemId: 'deal-2026-0093', status: 'canceled' }),
  };
}

/** Stores 23 hourly counts for each endpoint. */
async function addWebhookStatistics(
  { db }: TestConsole,
  { organizationId }: TenantApi,
  endpoints: readonly Types.ObjectId[],
): Promise<void> {
  const hours = endpoints.flatMap((endpoint, endpointIndex) =>
    Array.from({ length: 23 }, (_, hour) => ({
      ...conventions(organizationId),
      endpointId: new ObjectId(endpoint.toHexString()),
      at: new Date(Date.now() - (hour + 1) * hourMs),
      delivered: 80 + 15 * (hour % 5),
      failed: hour > 7 && hour < 11 ? 24 * endpointIndex + 4 : 0,
      milliseconds: 8_000 + 2_000 * (hour % 7),
      backlog: hour > 7 && hour < 11 ? 72 * endpointIndex : 0,
    })),
  );
  await db.collection('webhookStatistics').insertMany(hours);
}
