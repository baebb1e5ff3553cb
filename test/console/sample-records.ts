import { ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { CatalogueImportsService } from '../../src/operator/catalogue-import/catalogue-imports.service.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { addKey, addReservation, addTenant, addWallet, conventions } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Receiver } from '../support/receiver.js';
import type { TestConsole } from './console-client.js';
import { addUsage } from './sample-usage.js';

/** The pages of the sample, below `/console`. */
export interface SamplePages {
  readonly lead: string;
  readonly reservation: string;
  readonly unit: string;
  readonly endpoint: string;
  readonly endedEndpoint: string;
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
 * Fills every page: partners, one of them silent, a catalogue, a lead with changes, a reservation that was approved,
 * canceled, approved again and refused, and two endpoints, one of which responded 410.
 */
export async function addSample(service: TestConsole, receiver: Receiver): Promise<SamplePages> {
  const { db } = service;
  const { organizationId, key } = await addTenant(db);
  // Another organization of the same name.
  await addTenant(db);
  const organization = organizationId.toHexString();
  const post = (path: string, body: object) =>
    service.api('post', path).set('api-key', key).send(body);

  const partner = await addPartners(service, organizationId);
  const id = new Types.ObjectId(organization);
  const units = Array.from({ length: 24 }, (_, index) => unit(index));
  await service.service.app
    .get(CatalogueImportsService, { strict: false })
    .import(id, { compounds, propertyTypes, units });

  const endpoints = service.service.app.get(WebhookEndpointsService);
  const add = async (url: string, ...eventTypes: string[]) =>
    (await endpoints.add(id, { url, eventTypes })).endpoint._id;
  const crm = await add(`${receiver.url}?token=abc123`, 'lead.*');
  const finance = await add(`${receiver.url}/finance/reservations`, 'reservation.*', 'wallet.*');

  const lead = {
    recordSystemId: 'website-form-2026-000471',
    name: 'Mona Farid',
    phoneNumber: '01001239876',
    email: 'mona.farid@example.com',
  };
  receiver.respondWith(204);
  const created = await post('/leads', { ...lead, project: 'Palm Meadows' }).expect(201);
  // A search for the reservation finds a lead, too.
  await post('/leads', { recordSystemId: 'deal-2026-0093', name: 'Adel Hanna' }).expect(201);
  await post('/leads', { ...lead, data: { budget: 5_000_000, rooms: '4', source: 'website' } });
  const leadId = new ObjectId(String(created.body.lead._id));
  const reservation = await addReservationStory(service, { organizationId, key, leadId });
  const deliveries = db.collection('webhookDeliveries');
  await eventually(async () => {
    const waiting = await deliveries.countDocuments({ status: 'pending' });
    const all = await deliveries.countDocuments();
    if (waiting > 0 || all < 5) throw new Error(`${waiting} of ${all} wait`);
  });
  // Pending deliveries to the other endpoint still have to arrive.
  receiver.respondWith(({ path }, response) =>
    path.includes('/finance/')
      ? response.writeHead(204).end()
      : response.writeHead(410).end('gone, says Mona'),
  );
  await post('/leads', { ...lead, data: { budget: 5_500_000 } }).expect(200);
  await eventually(async () => {
    if ((await deliveries.findOne({ status: 'failed' })) === null) throw new Error('none failed');
  });
  await addWebhookStatistics(service, organizationId, [crm, finance]);
  const failed = await deliveries.findOne({ status: 'failed' });
  return {
    lead: `/leads/${organization}/${leadId.toHexString()}`,
    ...reservation,
    endpoint: `/webhooks/${finance.toHexString()}`,
    endedEndpoint: `/webhooks/${crm.toHexString()}`,
    delivery: `/webhooks/deliveries/${String(failed?._id)}`,
    partner: `/partners/${partner.toHexString()}`,
    organization,
  };
}

/** @returns the key with the most calls */
async function addPartners({ db }: TestConsole, organizationId: ObjectId): Promise<ObjectId> {
  const named = async (name: string): Promise<ObjectId> => {
    const _id = new ObjectId();
    await addKey(db, organizationId, { _id, name });
    return _id;
  };
  const inOffices = (hour: Date) =>
    hour.getUTCDay() < 5 && hour.getUTCHours() >= 6 && hour.getUTCHours() < 16
      ? 300 + 40 * hour.getUTCHours()
      : 20;
  const stoppedAt = Date.now() - 30 * hourMs;
  const website = await named('Website');
  await addUsage(db, [
    { keyId: website, calls: (hour) => 2 * inOffices(hour) },
    { keyId: await named('Collector'), calls: inOffices, refused: 0.05 },
    {
      keyId: await named('Old CRM'),
      calls: (hour) => (hour.getTime() < stoppedAt ? 120 : 0),
    },
  ]);
  return website;
}

async function addReservationStory(
  service: TestConsole,
  { organizationId, key, leadId }: { organizationId: ObjectId; key: string; leadId: ObjectId },
) {
  const { db } = service;
  const villa = await db
    .collection('units')
    .findOne({ organizationId, slug: 'palm-villa-5' }, { projection: { _id: 1 } });
  const unitId = villa?._id ?? new ObjectId();
  const reservationId = await addReservation(db, organizationId, unitId, {
    recordSystemId: 'deal-2026-0093',
    leadId,
  });
  const cheques = [1, 2, 3].map((index) => ({
    installmentId: `installment-${index}`,
    chequeNumber: `00${index}7743`,
    chequeAmount: 250_000,
    dueDate: new Date(Date.UTC(2027, index, 15)),
  }));
  await addWallet(db, organizationId, { reservationId, unitId, cheques });
  const steps: readonly (readonly [object, number])[] = [
    [{ reservationStatus: 'approved', note: 'Mona Farid has paid the first one' }, 201],
    [{ installmentId: 'installment-1', chequeStatus: 'bounced', chequeNumber: '0017743' }, 201],
    [{ installmentId: 'installment-1', chequeStatus: 'collected' }, 201],
    [{ reservationStatus: 'approved' }, 422],
  ];
  for (const [body, status] of steps) {
    await service
      .api('post', '/reservations/webhook')
      .set('api-key', key)
      .send({ reservationId: reservationId.toHexString(), ...body })
      .expect(status);
  }
  const organization = organizationId.toHexString();
  return {
    reservation: `/reservations/${organization}/${reservationId.toHexString()}`,
    unit: `/units/${organization}/${unitId.toHexString()}`,
  };
}

/** A day of each endpoint, by hour. */
async function addWebhookStatistics(
  { db }: TestConsole,
  organizationId: ObjectId,
  endpoints: readonly Types.ObjectId[],
): Promise<void> {
  const hours = endpoints.flatMap((endpoint, which) =>
    Array.from({ length: 23 }, (_, hour) => ({
      ...conventions(organizationId),
      endpointId: new ObjectId(endpoint.toHexString()),
      at: new Date(Date.now() - (hour + 1) * hourMs),
      delivered: 80 + 15 * (hour % 5),
      failed: hour > 7 && hour < 11 ? 24 * which + 4 : 0,
      milliseconds: 8_000 + 2_000 * (hour % 7),
      backlog: hour > 7 && hour < 11 ? 72 * which : 0,
    })),
  );
  await db.collection('webhookStatistics').insertMany(hours);
}
