import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addCatalogue, addCompound, addUnit } from '../support/builders.js';
import { documentedOperations, withValueAt } from '../support/operations.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
/** Both get the same requests; only the first one sends null. */
let [withNull, without]: TenantApi[] = [];
const reservationIds = new Map<TenantApi | undefined, string>();

const tenants = () => [withNull, without] as [TenantApi, TenantApi];

beforeAll(async () => {
  for (const side of [0, 1]) {
    const tenant = await service.addTenant({ settings: { allowConflictLeads: true } });
    if (side === 0) withNull = tenant;
    else without = tenant;
    await addExampleRecords(tenant);
  }
});

/** Writes the records that the examples of the reference name. */
async function addExampleRecords(tenant: TenantApi): Promise<void> {
  const name = { 'en-us': 'Palm Meadows' };
  const compoundId = await tenant.add(addCompound, name, { slug: 'palm-meadows' });
  const add = (collection: string, english: string, fields: Document = {}) =>
    addCatalogue(service.db, collection as 'phases', tenant.organizationId, {
      name: { 'en-us': english },
      ...fields,
    });
  const phase = { parentId: compoundId, slug: 'palm-meadows-date-grove' };
  await add('phases', 'Date Grove', phase);
  await add('propertyTypes', 'Villa', { slug: 'villa' });
  for (const amenity of ['Swimming Pool', 'Gym']) await add('amenities', amenity);
  await tenant.add(addUnit, { slug: 'pm-a-001', compoundId });
  await tenant.post('/leads', { recordSystemId: 'website-form-7-4711' }).expect(201);
  const { body } = await tenant
    .post('/reservations', {
      unit: 'pm-a-001',
      status: 'pending_cheque_collection',
      partnerCollection: true,
      cheques: [{ installmentId: 'installment-3', chequeAmount: 7 }],
    })
    .expect(201);
  reservationIds.set(tenant, body.reservation._id as string);
}

const writes = documentedOperations().filter(({ hasBody }) => hasBody);
const fields = writes.flatMap((operation) =>
  operation.positions.flatMap(({ steps, field }) =>
    field === undefined
      ? []
      : [{ ...operation, steps, field, title: `${operation.name} ${steps.join('.')}` }],
  ),
);
const fieldsThatAre = (kind: string) => fields.filter(({ field }) => field === kind);

/** Removes what differs between two organizations: ids and times. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
    .replaceAll(/[0-9a-f]{24}/g, 'id')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
  return JSON.parse(text) as unknown;
}

async function send(tenant: TenantApi, path: string, body: unknown) {
  const exampleId = '6740b1f2c3d4e5f607182940';
  const text = JSON.stringify(body).replaceAll(exampleId, reservationIds.get(tenant) ?? '');
  const response = await tenant.post(path).type('json').send(text);
  const { status, headers } = response;
  const told = ['x-error-code', 'x-ignored-fields', 'x-callback-reservation', 'x-callback-cheque'];
  const shown = Object.fromEntries(told.map((name) => [name, headers[name] as unknown]));
  return { status, ...shown, body: comparable(response.body) };
}

describe('an optional field of a body that is null', () => {
  it.each(fieldsThatAre('optional'))(
    'returns the same as without the field: $title',
    async ({ path, steps, fullBody }) => {
      const [one, other] = tenants();
      const sent = await send(one, path, withValueAt(fullBody, steps, null));
      const omitted = await send(other, path, withValueAt(fullBody, steps, undefined));
      expect(sent).toEqual(omitted);
      expect(sent.status).not.toBe(404);
    },
  );

  it.each(writes)('returns the same as without all of them: $name', async (operation) => {
    const { path, exampleBody, fullBody, positions } = operation;
    const optional = positions.filter(({ steps, field }) => field === 'optional' && !steps[1]);
    const nulls = Object.fromEntries(optional.map(({ steps: [name = ''] }) => [name, null]));
    const required = Object.keys(exampleBody).map((name) => [name, fullBody[name]]);
    const minimal = Object.fromEntries(required) as object;
    const [one, other] = tenants();
    const sent = await send(one, path, { ...nulls, ...minimal });
    expect(sent).toEqual(await send(other, path, minimal));
  });

  it('stores the same as without the field', async () => {
    const collections = [
      'leads',
      'clients',
      'units',
      'reservations',
      'chequeWallets',
      'changeLogs',
    ];
    const events = ['outboxEvents', 'reservationCallbacks'];
    for (const collection of [...collections, ...events]) {
      const [one, other] = await Promise.all(
        tenants().map(async (tenant) => {
          const documents = await tenant.stored(collection);
          const shown = documents.map(
            ({ type, data, changes, payload, refusedFields, outcome, ...rest }) =>
              comparable(
                events.includes(collection)
                  ? { type, data, changes, payload, refusedFields, outcome }
                  : { data, changes, type, ...rest },
              ),
          );
          // Ids of the test's process and of the service's have no order within a second.
          return shown.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
        }),
      );
      expect(one).toEqual(other);
      expect([collection, one?.length]).not.toEqual([collection, 0]);
    }
  });
});

describe('a null with a meaning of its own', () => {
  it('is documented only for references of units and the type of an image', () => {
    expect(fieldsThatAre('nullable').map(({ title }) => title)).toEqual([
      'POST /units phase',
      'POST /units unitDesign',
      'POST /units propertyType',
      'POST /units media.[].imageType',
    ]);
  });

  it('is stored inside data and additionalData', async () => {
    const free = { data: { name: null, budget: null }, additionalData: { utm_source: null } };
    const { body } = await tenants()[0]
      .post('/leads', { email: null, ...free })
      .expect(201);
    expect(body.lead).toMatchObject(free);
    expect(body.lead.data).not.toHaveProperty('email');
  });

  it('removes the reference of a unit', async () => {
    const [tenant] = tenants();
    const unit = { recordSystemId: 'with-references', compound: 'palm-meadows' };
    await tenant.post('/units', { ...unit, propertyType: 'villa' }).expect(201);
    const { body } = await tenant.post('/units', { ...unit, propertyType: null }).expect(200);
    expect(body.unit.propertyTypeId).toBe('');
  });
});

describe('a required field of a body that is null', () => {
  it.each(fieldsThatAre('required'))('returns 400: $title', async ({ path, steps, fullBody }) => {
    const { status, ...shown } = await send(tenants()[0], path, withValueAt(fullBody, steps, null));
    expect([status, shown['x-error-code' as keyof typeof shown]]).toEqual([
      400,
      'validation.failed',
    ]);
  });
});
