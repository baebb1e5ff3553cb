import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import {
  before,
  deleted,
  now,
  reservationWith,
  stateWith,
  unitWith,
  walletWith,
} from '../../../test/support/reservation-state.js';
import { rounds } from '../../../test/support/rounds.js';
import { statusSpelling } from '../../../test/units/status-spellings.js';
import type { ReservationState } from '../reservation-state.js';
import type { ReservationDocument } from '../reservation.schema.js';
import { type ReservationStatus, reservationStatuses } from '../reservation-status.js';
import { decideUpsert, ignoredFields, newReservation, type LinkedIds } from './upsert-decision.js';
import type { UpsertReservationDto } from './upsert-reservation.dto.js';

const none: LinkedIds = { unitId: undefined, leadId: undefined };
const isOpen = (status: ReservationStatus) => status.startsWith('pending');
const unitId = new ObjectId('a'.repeat(24));
const leadId = new ObjectId('b'.repeat(24));

/** Decides a request about a reservation with an ordinary unit and, unless given, no wallets. */
function upsert(
  fields: Partial<ReservationDocument>,
  request: UpsertReservationDto,
  { references = none, ...loaded }: Partial<ReservationState> & { references?: LinkedIds } = {},
): ReservationState {
  const state = stateWith({ reservation: reservationWith(fields), ...loaded });
  return decideUpsert(state, request, references);
}

describe('a new reservation', () => {
  const tenant = { organizationId: new ObjectId(), createdAt: now };

  it('is pending, without references and outside the partner collection flow by default', () => {
    expect(newReservation({}, none, tenant)).toStrictEqual({
      _id: expect.any(ObjectId),
      ...tenant,
      unitId: null,
      leadId: null,
      status: 'pending',
      partnerCollection: { isActive: false },
      isDeleted: false,
      updatedAt: now,
    });
  });

  it('has the sent fields', () => {
    const fields = { recordSystemId: 'deal', status: 'pending_cheque_collection' } as const;
    const request = { ...fields, partnerCollection: true };
    const partnerCollection = { isActive: true };
    const expected = { ...fields, unitId, leadId, partnerCollection };
    expect(newReservation(request, { unitId, leadId }, tenant)).toMatchObject(expected);
  });

  it.each([
    ['approved', 'reservation.approved_by_callback_only'],
    ['rejected', 'reservation.not_created_pending'],
    ['canceled', 'reservation.not_created_pending'],
    ['expired', 'reservation.not_created_pending'],
  ] as const)('is refused with the status %s', (status, error) => {
    expect(() => newReservation({ status }, none, tenant)).toThrow(error);
  });
});

/**
 * Rows are stored statuses. Columns are sent statuses in the order of `reservationStatuses`: `=` keeps the stored one,
 * `+` takes the sent one, `r` takes it only with `reopen`, `!` is refused.
 */
const nextStatus: Readonly<Record<ReservationStatus, string>> = {
  pending: '=!++++',
  approved: '====+=',
  pending_cheque_collection: '+!=+++',
  rejected: 'r!r=++',
  canceled: 'r!r+=+',
  expired: 'r!r++=',
};

describe('the status of an upsert', () => {
  it.each(reservationStatuses)('follows the table `nextStatus` when %s is stored', (stored) => {
    for (const [index, sent] of reservationStatuses.entries()) {
      for (const reopening of [{}, { reopen: false }, { reopen: true }]) {
        const rule = nextStatus[stored][index];
        const decide = () => upsert({ status: stored }, { status: sent, ...reopening }).reservation;
        if (rule === '!') {
          expect(decide).toThrow('reservation.approved_by_callback_only');
          continue;
        }
        const isTaken = rule === '+' || (rule === 'r' && reopening.reopen === true);
        const expected = isTaken
          ? { status: sent, updatedAt: now }
          : { status: stored, updatedAt: before };
        expect(decide()).toMatchObject(expected);
      }
    }
  });

  it('removes the time of the previous status', () => {
    const canceled = { status: 'canceled', canceledAt: before } as const;
    const { reservation } = upsert(canceled, { status: 'pending', reopen: true });
    expect(reservation).not.toHaveProperty('canceledAt');
  });

  it('updates the status of the unit, and always locks it', () => {
    expect(upsert({}, { status: 'rejected' }).unit?.status).toBe('Available');
    const unit = unitWith();
    const repeated = upsert({}, {}, { unit });
    expect(repeated.unit).toBe(unit);
    expect(repeated.isUnitLocked).toBe(true);
  });
});

it('an approved reservation and its sold unit stay so until a cancellation, whatever else is sent', () => {
  const sent = fc.record<UpsertReservationDto>(
    {
      status: fc.constantFrom(...reservationStatuses.filter((status) => status !== 'canceled')),
      reopen: fc.boolean(),
      partnerCollection: fc.boolean(),
      cheques: fc.constant([{ installmentId: '1' }]),
    },
    { requiredKeys: [] },
  );
  const other = fc.constantFrom(...reservationStatuses);
  fc.assert(
    fc.property(fc.array(sent), statusSpelling, other, (requests, { status }, otherStatus) => {
      let state = stateWith({
        reservation: reservationWith({ status: 'approved' }),
        unit: unitWith({ status }),
        otherStatusesOfUnit: [otherStatus],
      });
      for (const request of requests) {
        state = decideUpsert(state, request, none);
        expect([state.reservation.status, state.unit?.status]).toEqual(['approved', 'Sold']);
        const isIgnored = request.status !== undefined && request.status !== 'approved';
        expect(ignoredFields(request, state.reservation).includes('status')).toBe(isIgnored);
      }
    }),
    { numRuns: rounds(500, 5_000) },
  );
});

describe('an upsert', () => {
  it('keeps the reservation when nothing changes', () => {
    const stored = { unitId, leadId, partnerCollection: { isActive: true } };
    const reservation = reservationWith(stored);
    const state = stateWith({ reservation, wallets: [walletWith()] });
    const cheques = [{ installmentId: '1' }];
    const same = { status: 'pending', partnerCollection: true, cheques } as const;
    const copyOf = (id: ObjectId) => new ObjectId(id.toHexString());
    const references = { unitId: copyOf(unitId), leadId: copyOf(leadId) };
    const decided = decideUpsert(state, same, references);
    expect(decided.reservation).toBe(reservation);
    expect(decided.wallets).toBe(state.wallets);
    expect(decideUpsert(state, {}, none).reservation).toBe(reservation);
  });

  it('changes the lead', () => {
    for (const stored of [{}, { leadId: null }, { leadId: new ObjectId() }]) {
      const { reservation } = upsert(stored, {}, { references: { ...none, leadId } });
      expect(reservation).toMatchObject({ leadId, status: 'pending', updatedAt: now });
    }
  });

  it.each([
    [{ isActive: true, by: 'x' }, false, { isActive: false, by: 'x' }],
    [undefined, true, { isActive: true }],
    [null, true, { isActive: true }],
    [{}, true, { isActive: true }],
    [{ isActive: false }, true, { isActive: true }],
  ])('changes the partner collection flow %j to %j', (stored, sent, partnerCollection) => {
    const fields = { partnerCollection: stored } as Partial<ReservationDocument>;
    const { reservation } = upsert(fields, { partnerCollection: sent });
    expect(reservation).toMatchObject({ partnerCollection, updatedAt: now });
    // Without a stored value the flow is inactive, so sending that state changes nothing.
    const same = upsert(fields, { partnerCollection: !sent }).reservation;
    expect(same.updatedAt).toBe(before);
  });

  it('changes fields and status together', () => {
    const { reservation } = upsert({}, { status: 'canceled', partnerCollection: true });
    const partnerCollection = { isActive: true };
    expect(reservation).toMatchObject({ status: 'canceled', canceledAt: now, partnerCollection });
  });

  it.each([[leadId], [null], [undefined]])(
    'is refused when it names a unit and the stored unit is %s',
    (stored) => {
      const fields = { unitId: stored } as Partial<ReservationDocument>;
      const decide = () => upsert(fields, {}, { references: { ...none, unitId } });
      expect(decide).toThrow('reservation.unit_fixed');
    },
  );

  it('is refused when the cheques do not fit into the wallet', () => {
    const cheques = [{ installmentId: '1', chequeNumber: 'x'.repeat(5_000_000) }];
    expect(() => upsert({}, { cheques })).toThrow('wallet.full');
  });
});

describe('the wallet of an upsert', () => {
  const inPartnerFlow = { partnerCollection: { isActive: true } };
  const canceled = { ...inPartnerFlow, status: 'canceled' } as const;
  const cheques = [{ installmentId: '2' }];
  const extended = [{ installmentId: '1' }, { installmentId: '2' }];
  const active = [walletWith()];
  const typesOf = ({ events }: ReservationState) => events.map(({ type }) => type);

  it('is deleted by a cancellation, including new cheques', () => {
    const decided = upsert(inPartnerFlow, { status: 'canceled', cheques }, { wallets: active });
    const wallet = { isDeleted: true, deletedAt: now, cheques: extended };
    expect(decided.wallets).toMatchObject([wallet]);
    expect(typesOf(decided)).toEqual(['wallet.updated', 'wallet.deleted']);
  });

  it('is deleted when one request sets the partner collection flow and cancels', () => {
    const request = { status: 'canceled', partnerCollection: true } as const;
    const { wallets } = upsert({}, request, { wallets: active });
    expect(wallets).toMatchObject([{ isDeleted: true }]);
  });

  it('is restored and extended when the reservation is reopened', () => {
    const wallets = [walletWith(deleted), walletWith(deleted)];
    const reopened = upsert(canceled, { status: 'pending', reopen: true, cheques }, { wallets });
    const restored = { isDeleted: false, cheques: extended };
    expect(reopened.wallets).toMatchObject([restored, { isDeleted: true }]);
    expect(typesOf(reopened)).toEqual(['wallet.restored', 'wallet.updated']);
  });

  it.each<[string, Partial<ReservationDocument>, UpsertReservationDto, object]>([
    ['active when rejected', inPartnerFlow, { status: 'rejected' }, {}],
    ['active when expired', inPartnerFlow, { status: 'expired' }, {}],
    // Another program has reactivated the wallet since the earlier cancellation, so it stays active.
    ['active when canceled again', canceled, { status: 'canceled' }, {}],
    ['deleted without a change', {}, { status: 'pending' }, deleted],
    ['deleted when approved', { status: 'approved' }, { status: 'pending', reopen: true }, deleted],
    ['deleted when expired', { status: 'canceled' }, { status: 'expired', reopen: true }, deleted],
  ])('stays %s', (_title, stored, request, fields) => {
    const wallets = [walletWith(fields)];
    expect(upsert(stored, request, { wallets }).wallets).toBe(wallets);
  });

  it('is locked when the status becomes pending_cheque_collection', () => {
    const status = 'pending_cheque_collection';
    const updated = upsert({}, { status }, { wallets: active });
    expect(updated.wallets).toEqual([{ ...active[0], statusLock: expect.any(ObjectId) }]);
    expect(updated.events).toEqual([]);
    for (const sent of [status, 'pending'] as const) {
      expect(upsert({ status }, { status: sent }, { wallets: active }).wallets).toBe(active);
    }
  });
});

describe('ignoredFields', () => {
  const approved = reservationWith({ status: 'approved' });

  it.each<[string[], UpsertReservationDto]>([
    [[], {}],
    [[], { status: 'approved' }],
    [['status'], { status: 'pending' }],
    [['status'], { status: 'pending', reopen: true }],
    [['status'], { status: 'rejected' }],
    [['status', 'reopen'], { status: 'expired', reopen: true }],
    [['reopen'], { reopen: true }],
  ])('ignores the fields %j when %j concerns an approved reservation', (expected, request) => {
    expect(ignoredFields(request, approved)).toEqual(expected);
  });

  it.each(reservationStatuses)('returns reopen unless %s is an open status', (status) => {
    const reservation = reservationWith({ status });
    const expected = isOpen(status) ? [] : ['reopen'];
    expect(ignoredFields({ status, reopen: true }, reservation)).toEqual(expected);
    expect(ignoredFields({ status, reopen: false }, reservation)).toEqual([]);
  });
});
