import { expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { type LoadedReservations, ReservationRecords } from './reservation-records.js';

it('ReservationRecords treats reservations without a unit as unrelated', () => {
  const [one, other] = [new Types.ObjectId(), new Types.ObjectId()];
  const reservations = [one, other].map((_id) => ({ _id, unitId: null, status: 'approved' }));
  const records = new ReservationRecords({
    reservations,
    units: [],
    reservationsOfUnits: [],
    wallets: [],
    now: new Date(),
  } as unknown as LoadedReservations);
  const [stored, otherStored] = [records.findById(one), records.findById(other)];
  if (stored === undefined || otherStored === undefined) throw new Error('Both were loaded.');
  const state = records.stateOf(stored);
  records.put(state, state, 'a request');
  expect(records.stateOf(otherStored).otherStatusesOfUnit).toEqual([]);
});
