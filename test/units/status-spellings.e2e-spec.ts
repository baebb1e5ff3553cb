import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { addCompound, addReservation, addUnit } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import { derivedStatuses, statusSpelling } from './status-spellings.js';

const service = sharedService();
const count = rounds(25, 400);
const spellings = fc.sample(statusSpelling, count).map(({ status, documented }, index) => {
  return { status, documented, id: `spelled-${index}` };
});

it('POST /units stores the documented spelling, and Sold while a reservation is approved', async () => {
  const tenant = await service.addTenant();
  const compoundId = await tenant.add(addCompound, { 'en-us': 'Lake' }, { slug: 'lake' });
  for (const { status, documented, id } of spellings) {
    const body = { recordSystemId: id, compound: 'lake', status };
    const { body: created } = await tenant.post('/units', body).expect(201);
    expect(created.unit.status).toBe(documented);
    await tenant.add(addReservation, new ObjectId(created.unit._id as string), {
      status: 'approved',
    });
    expect((await tenant.post('/units', body).expect(200)).body.unit.status).toBe('Sold');
  }
  const stored = await tenant.stored('units', { compoundId });
  expect(stored.map(({ status }) => status as string)).toEqual(spellings.map(() => 'Sold'));
});

it('GET /units finds each spelling of a status by each other, also spellings of other programs', async () => {
  const tenant = await service.addTenant();
  for (const { status, id } of [...spellings, { status: 'Available soon', id: 'other' }]) {
    await tenant.add(addUnit, { recordSystemId: id, status });
  }
  const find = async (status: string) => {
    const { body } = await tenant.get(`/units?status=${encodeURIComponent(status)}`).expect(200);
    return body.pagination.total as number;
  };
  for (const wanted of derivedStatuses) {
    const expected = spellings.filter(({ documented }) => documented === wanted);
    for (const filter of [wanted, ...expected.slice(0, 20).map(({ status }) => status)]) {
      expect(await find(filter)).toBe(expected.length);
    }
  }
});

it('replaces a spelling that another program stored when a reservation or the unit changes', async () => {
  const tenant = await service.addTenant();
  const statusOf = async (_id: ObjectId) => (await tenant.storedOne('units', { _id }))['status'];
  for (const { status, documented, id } of spellings) {
    const _id = await tenant.add(addUnit, { slug: id, recordSystemId: id, status });
    await tenant.post('/units', { recordSystemId: id, price: 5 }).expect(200);
    expect(await statusOf(_id)).toBe(documented);

    await tenant.set('units', { _id }, { status });
    await tenant.add(addReservation, _id, { status: 'approved' });
    const pending = { recordSystemId: id, unit: id };
    await tenant.post('/reservations', pending).expect(201);
    expect(await statusOf(_id)).toBe('Sold');

    await tenant.set('units', { _id }, { status });
    await tenant.post('/units', { recordSystemId: id, price: 6 }).expect(200);
    expect(await statusOf(_id)).toBe('Sold');

    await tenant.set('units', { _id }, { status });
    await tenant.set('reservations', { unitId: _id, status: 'approved' }, { status: 'canceled' });
    const { _id: reservationId } = await tenant.storedOne('reservations', { recordSystemId: id });
    const callback = { reservationId, reservationStatus: 'canceled' };
    await tenant.post('/reservations/webhook', callback).expect(201);
    expect(await statusOf(_id)).toBe('Available');
  }
});
