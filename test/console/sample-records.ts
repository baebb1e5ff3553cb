import { ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { CatalogueImportsService } from '../../src/operator/catalogue-import/catalogue-imports.service.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { addKey, addReservation, addWallet, conventions } from '../support/builders.js';
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
 * Stores records for every page: partners of which one is silent, a catalogue, a lead with changes, a
 * reservation that was approved, canceled and approved again before a rejected callback, and two endpoints of which
 * one responded 410.
 */
export async function addSamples(service: TestConsole, receiver: Receiver): Promise<SamplePages> {
  const { app } = service.service;
  const tenant = await service.addTenant();
  // Another organization has the same name, so pages must show the ids.
  await service.addTenant();
  const organization = tenant.organizationId.toHexString();
  const id = new Types.ObjectId(organization);
  const partner = await addPartners(service, tenant);
  const units = Array.from({ length: 24 }, (_, index) => unit(index));
  const imports = app.get(CatalogueImportsService, { strict: false });
  await imports.import(id, { compounds, propertyTypes, units });

  const add = async (url: string, ...eventTypes: string[]) => {
    const endpoints = app.get(WebhookEndpointsService);
    return (await endpoints.add(id, { url, eventTypes })).endpoint._id;
  };
  const crm = await add(`${receiver.url}?token=abc123`, 'lead.*');
  const finance = await add(`${receiver.url}/finance/reservations`, 'reservation.*', 'wallet.*');

  const lead = {
    recordSystemId: 'website-form-2026-000471',
    name: 'Mona Farid',
    phoneNumber: '01001239876',
    email: 'mona.farid@example.com',
  };
  const data = { budget: 5_000_000, rooms: '4', source: 'website' };
  receiver.respondWith(204);
  const { body } = await tenant.post('/leads', { ...lead, project: 'Palm Meadows' }).expect(201);
  // A search for the reservation's external id also finds this lead.
  const other = { recordSystemId: 'deal-2026-0093', name: 'Adel Hanna' };
  await tenant.post('/leads', other).expect(201);
  await tenant.post('/leads', { ...lead, data }).expect(200);
  const leadId = String(body.lead._id);
  const reservation = await addReservationHistory(tenant, new ObjectId(leadId));
  await eventually(async () => {
    const pending = await tenant.count('webhookDeliveries', { status: 'pending' });
    const all = await tenant.count('webhookDeliveries');
    if (pending > 0 || all < 5) throw new Error(`${pending} of ${all} are pending`);
  });
  // Only the first endpoint responds 410, because pending deliveries to the other one must still arrive.
  receiver.respondWith(({ path }, response) =>
    path.includes('/finance/')
      ? response.writeHead(204).end()
      : response.writeHead(410).end('gone, says Mona'),
  );
  await tenant.post('/leads', { ...lead, data: { budget: 5_500_000 } }).expect(200);
  let delivery: unknown;
  await eventually(async () => {
    ({ _id: delivery } = await tenant.storedOne('webhookDeliveries', { status: 'failed' }));
  });
  await addWebhookStatistics(service, tenant, [crm, finance]);
  return {
    lead: `/leads/${organization}/${leadId}`,
    ...reservation,
    endpoint: `/webhooks/${finance.toHexString()}`,
    disabledEndpoint: `/webhooks/${crm.toHexString()}`,
    delivery: `/webhooks/deliveries/${String(delivery)}`,
    partner: `/partners/${partner.toHexString()}`,
    organization,
  };
}

/** @returns the key with the most calls */
async function addPartners({ db }: TestConsole, tenant: TenantApi): Promise<ObjectId> {
  const addNamedKey = async (name: string): Promise<ObjectId> => {
    const _id = new ObjectId();
    await tenant.add(addKey, { _id, name });
    return _id;
  };
  const duringOfficeHours = (hour: Date) =>
    hour.getUTCDay() < 5 && hour.getUTCHours() >= 6 && hour.getUTCHours() < 16
      ? 300 + 40 * hour.getUTCHours()
      : 20;
  const stoppedAt = Date.now() - 30 * hourMs;
  const untilStopped = (hour: Date) => (hour.getTime() < stoppedAt ? 120 : 0);
  const website = await addNamedKey('Website');
  await addUsage(db, [
    { keyId: website, calls: (hour) => 2 * duringOfficeHours(hour) },
    { keyId: await addNamedKey('Collector'), calls: duringOfficeHours, refused: 0.05 },
    { keyId: await addNamedKey('Old CRM'), calls: untilStopped },
  ]);
  return website;
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
    [{ reservationStatus: 'approved' }, 422],
  ] as const) {
    const body = { reservationId: reservationId.toHexString(), ...report };
    await tenant.post('/reservations/webhook', body).expect(status);
  }
  const organization = tenant.organizationId.toHexString();
  return {
    reservation: `/reservations/${organization}/${reservationId.toHexString()}`,
    unit: `/units/${organization}/${String(unitId)}`,
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
