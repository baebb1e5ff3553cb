import { describe, expect, it } from '@jest/globals';
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
import type { ReservationState } from '../reservation-state.js';
import type { ReservationDocument } from '../../availability/reservation.schema.js';
import { type ReservationStatus, reservationStatuses } from '../../availability/availability.js';
import {
  decideUpsert,
  ignoredFields,
  newReservation,
  type LinkedRecords,
} from './upsert-decision.js';
import type { UpsertReservationDto } from './upsert-reservation.dto.js';

const none: LinkedRecords = { unitId: undefined, leadId: undefined };
const isOpen = (status: ReservationStatus) => status.startsWith('pending');
const closedStatuses = reservationStatuses.filter((status) => !isOpen(status));

/** Decides a request about a reservation whose unit and wallets are unremarkable. */
function upsert(
  fields: Partial<ReservationDocument>,
  request: UpsertReservationDto,
  { references = none, ...loaded }: Partial<ReservationState> & { references?: LinkedRecords } = {},
): ReservationState {
  const state = stateWith({ reservation: reservationWith(fields), ...loaded });
  return decideUpsert(state, request, references);
}

describe('a new reservation', () => {
  const tenant = { organizationId: new ObjectId(), createdAt: now };
  const [unitId, leadId] = [new ObjectId(), new ObjectId()];

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
    const request = {
      recordSystemId: 'deal',
      status: 'pending_cheque_collection',
      partnerCollection: true,
    } as const;
    expect(newReservation(request, { unitId, leadId }, tenant)).toMatchObject({
      ...request,
      unitId,
      leadId,
      partnerCollection: { isActive: true },
    });
  });

  it.each(closedStatuses)('is rejected as %s', (status) => {
    expect(() => newReservation({ status }, none, tenant)).toThrow(
      status === 'approved'
        ? 'reservation.approved_by_callback_only'
        : 'reservation.not_created_pending',
    );
  });
});

/**
 * By stored status and by sent status in the order of `reservationStatuses`: `=` keeps the stored one,
 * `+` takes the sent one, `r` takes it with `reopen` only, `!` is rejected.
 */
const nextStatus: Readonly<Record<ReservationStatus, string>> = {
  pending: '=!++++',
  approved: '===+++',
  pending_cheque_collection: '+!=+++',
  rejected: 'r!r=++',
  canceled: 'r!r+=+',
  expired: 'r!r++=',
};

describe('the status of an upsert', () => {
  it.each(reservationStatuses)('follows the table when %s is stored', (stored) => {
    for (const [index, sent] of reservationStatuses.entries()) {
      for (const choice of [{}, { reopen: false }, { reopen: true }]) {
        const rule = nextStatus[stored][index];
        const decide = () => upsert({ status: stored }, { status: sent, ...choice }).reservation;
        if (rule === '!') {
          expect(decide).toThrow('reservation.approved_by_callback_only');
          continue;
        }
        const isTaken = rule === '+' || (rule === 'r' && choice.reopen === true);
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

  it('changes the unit, which is always locked', () => {
    expect(upsert({}, { status: 'rejected' }).unit?.status).toBe('Available');
    const unit = unitWith();
    const repeated = upsert({}, {}, { unit });
    expect(repeated.unit).toBe(unit);
    expect(repeated.isUnitLocked).toBe(true);
  });
});

describe('an upsert', () => {
  it('keeps the reservation when nothing changes', () => {
    const [unitId, leadId] = [new ObjectId(), new ObjectId()];
    const stored = { unitId, leadId, partnerCollection: { isActive: true } };
    const reservation = reservationWith(stored);
    const state = stateWith({ reservation, wallets: [walletWith()] });
    const decided = decideUpsert(
      state,
      { status: 'pending', partnerCollection: true, cheques: [{ installmentId: '1' }] },
      { unitId: new ObjectId(unitId.toHexString()), leadId: new ObjectId(leadId.toHexString()) },
    );
    expect(decided.reservation).toBe(reservation);
    expect(decided.wallets).toBe(state.wallets);
    expect(decideUpsert(state, {}, none).reservation).toBe(reservation);
  });

  it('changes the lead', () => {
    const leadId = new ObjectId();
    for (const stored of [{}, { leadId: null }, { leadId: new ObjectId() }]) {
      const { reservation } = upsert(stored, {}, { references: { unitId: undefined, leadId } });
      expect(reservation).toMatchObject({ leadId, status: 'pending', updatedAt: now });
    }
  });

  it('changes the partner collection flow and keeps its unknown fields', () => {
    const flowAfter = (partnerCollection: object | null | undefined, sent: boolean) =>
      upsert(partnerCollection === undefined ? {} : { partnerCollection }, {
        partnerCollection: sent,
      }).reservation;
    expect(flowAfter({ isActive: true, by: 'x' }, false)).toMatchObject({
      partnerCollection: { isActive: false, by: 'x' },
      updatedAt: now,
    });
    for (const stored of [undefined, null, {}, { isActive: false }]) {
      expect(flowAfter(stored, true).partnerCollection).toEqual({ isActive: true });
      // Not in the flow is what it is already.
      expect(flowAfter(stored, false).updatedAt).toBe(before);
    }
  });

  it('changes fields and status together', () => {
    const { reservation } = upsert({}, { status: 'canceled', partnerCollection: true });
    expect(reservation).toMatchObject({
      status: 'canceled',
      canceledAt: now,
      partnerCollection: { isActive: true },
    });
  });

  it('is rejected when it names another unit', () => {
    const references = { unitId: new ObjectId(), leadId: undefined };
    for (const unitId of [new ObjectId(), null]) {
      expect(() => upsert({ unitId }, {}, { references })).toThrow('reservation.unit_fixed');
    }
    const { unitId: _unitId, ...reservation } = reservationWith();
    expect(() => decideUpsert(stateWith({ reservation }), {}, references)).toThrow(
      'reservation.unit_fixed',
    );
  });

  it('is rejected when the cheques do not fit into the wallet', () => {
    const cheques = [{ installmentId: '1', chequeNumber: 'x'.repeat(5_000_000) }];
    expect(() => upsert({}, { cheques })).toThrow('wallet.full');
  });
});

describe('the wallet of an upsert', () => {
  const inPartnerFlow = { partnerCollection: { isActive: true } };
  const cheques = [{ installmentId: '2' }];

  it('is deleted by a cancellation, including new cheques', () => {
    const canceled = upsert(
      inPartnerFlow,
      { status: 'canceled', cheques },
      { wallets: [walletWith()] },
    );
    expect(canceled.wallets).toMatchObject([
      {
        isDeleted: true,
        deletedAt: now,
        cheques: [{ installmentId: '1' }, { installmentId: '2' }],
      },
    ]);
    expect(canceled.events.map(({ type }) => type)).toEqual(['wallet.updated', 'wallet.deleted']);
  });

  it('is deleted when the same request sets the partner flow', () => {
    const request = { status: 'canceled', partnerCollection: true } as const;
    expect(upsert({}, request, { wallets: [walletWith()] }).wallets).toMatchObject([
      { isDeleted: true },
    ]);
  });

  it('is kept without a cancellation', () => {
    const wallets = [walletWith()];
    for (const status of ['rejected', 'expired'] as const) {
      expect(upsert(inPartnerFlow, { status }, { wallets }).wallets).toBe(wallets);
    }
    // Canceled before: a wallet that is active since then was made active on purpose.
    const canceled = { ...inPartnerFlow, status: 'canceled' } as const;
    expect(upsert(canceled, { status: 'canceled' }, { wallets }).wallets).toBe(wallets);
  });

  it('is restored and extended when the reservation is reopened', () => {
    const canceled = { ...inPartnerFlow, status: 'canceled' } as const;
    const wallets = [walletWith(deleted), walletWith(deleted)];
    const request = { status: 'pending', reopen: true, cheques } as const;
    const reopened = upsert(canceled, { ...request, cheques: [...cheques] }, { wallets });
    expect(reopened.wallets).toMatchObject([
      { isDeleted: false, cheques: [{ installmentId: '1' }, { installmentId: '2' }] },
      { isDeleted: true },
    ]);
    expect(reopened.events.map(({ type }) => type)).toEqual(['wallet.restored', 'wallet.updated']);
  });

  it('stays deleted unless the reservation is reopened', () => {
    const wallets = [walletWith(deleted)];
    expect(upsert({}, { status: 'pending' }, { wallets }).wallets).toBe(wallets);
    const approved = upsert(
      { status: 'approved' },
      { status: 'pending', reopen: true },
      { wallets },
    );
    expect(approved.wallets).toBe(wallets);
    const expired = upsert(
      { status: 'canceled' },
      { status: 'expired', reopen: true },
      { wallets },
    );
    expect(expired.wallets).toBe(wallets);
  });

  it('is locked when the status becomes pending_cheque_collection', () => {
    const status = 'pending_cheque_collection';
    const wallets = [walletWith()];
    const moved = upsert({}, { status }, { wallets });
    expect(moved.wallets).toEqual([{ ...wallets[0], statusLock: expect.any(ObjectId) }]);
    expect(moved.events).toEqual([]);
    expect(upsert({ status }, { status }, { wallets }).wallets).toBe(wallets);
    expect(upsert({ status }, { status: 'pending' }, { wallets }).wallets).toBe(wallets);
  });
});

describe('ignoredFields', () => {
  it('returns the status when the reservation did not accept it', () => {
    const approved = reservationWith({ status: 'approved' });
    expect(ignoredFields({ status: 'pending' }, approved)).toEqual(['status']);
    expect(ignoredFields({ status: 'approved' }, approved)).toEqual([]);
    expect(ignoredFields({}, approved)).toEqual([]);
  });

  it('returns reopen when no open status is sent', () => {
    for (const status of reservationStatuses) {
      const made = reservationWith({ status });
      const expected = isOpen(status) ? [] : ['reopen'];
      expect(ignoredFields({ status, reopen: true }, made)).toEqual(expected);
      expect(ignoredFields({ status, reopen: false }, made)).toEqual([]);
    }
    const approved = reservationWith({ status: 'approved' });
    expect(ignoredFields({ reopen: true }, approved)).toEqual(['reopen']);
    expect(ignoredFields({ status: 'pending', reopen: true }, approved)).toEqual(['status']);
  });
});
