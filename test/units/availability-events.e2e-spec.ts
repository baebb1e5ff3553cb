import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import { availability } from '../../src/availability/availability.js';
import { UnitWritesService } from '../../src/units/writing/unit-writes.service.js';
import { Outbox } from '../../src/events/outbox/outbox.js';
import { addCatalogue, addTenant, type Tenant } from '../support/builders.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService();
  tenant = await addTenant(service.db);
});
afterAll(() => service.stop());

const addUnit = async (status: string) => {
  const amenity = { name: { 'en-us': 'Pool', 'ar-eg': 'حمام سباحة' } };
  const amenityId = await addCatalogue(service.db, 'amenities', tenant.organizationId, amenity);
  return addCatalogue(service.db, 'units', tenant.organizationId, {
    name: { 'en-us': 'Villa', 'ar-eg': 'فيلا' },
    status,
    amenitiesIds: [amenityId],
  });
};
/** Recomputes a unit with one pending reservation; gives whether its status has changed. */
const recompute = (unitId: ObjectId, emitsEvent: boolean) => {
  const { app } = service.service;
  const units = app.get(UnitWritesService);
  return app.get(Transactions).run(async () => {
    const organizationId = new Types.ObjectId(tenant.organizationId.toHexString());
    const [unit] = await units.findAll(organizationId, [new Types.ObjectId(unitId.toHexString())]);
    if (unit === undefined) throw new Error('The unit is missing.');
    const status = availability(unit.status, ['pending']);
    const after = status === unit.status ? unit : { ...unit, status, updatedAt: new Date() };
    const decisions = [{ before: unit, after, requestId: 'request' }];
    await units.storeStatuses(organizationId, decisions);
    if (emitsEvent) {
      const [event] = await units.eventsOf(organizationId, decisions);
      await app.get(Outbox).publish(organizationId, event ? [event] : [], new Date());
    }
    return after !== unit;
  });
};
const eventsOf = (unitId: ObjectId) =>
  service.db.collection('outboxEvents').find({ 'data._id': unitId.toHexString() }).toArray();

describe('recomputing the availability of a unit', () => {
  it('emits a changed status with the unit in English and what it refers to', async () => {
    const unitId = await addUnit('Available');
    expect(await recompute(unitId, true)).toBe(true);
    expect(await eventsOf(unitId)).toMatchObject([
      {
        organizationId: tenant.organizationId,
        type: 'unit.updated',
        data: { name: 'Villa', status: 'Reserved', amenities: [{ name: 'Pool' }], phase: null },
        changes: [{ field: 'status', from: 'Available', to: 'Reserved' }],
      },
    ]);
  });

  it('emits nothing when the status stays, or when the caller does not want it', async () => {
    const [same, quiet] = [await addUnit('Reserved'), await addUnit('Available')];
    expect(await recompute(same, true)).toBe(false);
    expect(await recompute(quiet, false)).toBe(true);
    expect([...(await eventsOf(same)), ...(await eventsOf(quiet))]).toEqual([]);
  });
});
