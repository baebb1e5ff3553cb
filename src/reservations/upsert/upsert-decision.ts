import { Types } from 'mongoose';
import { DomainError } from '../../core/errors/domain-error.js';
import { reservationErrors } from '../reservation-errors.js';
import { addCheques, deleteWallet, restoreWallet, touchWallet } from '../cheques/wallets.js';
import { recomputeUnit, type ReservationState, withStatus } from '../reservation-state.js';
import type { ReservationDocument } from '../reservation.schema.js';
import { isOpenReservation, type ReservationStatus } from '../reservation-status.js';
import type { UpsertReservationDto } from './upsert-reservation.dto.js';

export interface LinkedIds {
  readonly unitId: Types.ObjectId | undefined;
  readonly leadId: Types.ObjectId | undefined;
}

/** @throws DomainError 422 for a status that a new reservation must not have (rule RES-4) */
export function newReservation(
  { recordSystemId, status = 'pending', partnerCollection = false }: UpsertReservationDto,
  { unitId, leadId }: LinkedIds,
  tenant: Pick<ReservationDocument, 'organizationId' | 'createdAt'>,
): ReservationDocument {
  if (!isOpenReservation(status)) {
    throw new DomainError(
      status === 'approved' ? reservationErrors.neverApproved : reservationErrors.createdPending,
    );
  }
  return {
    _id: new Types.ObjectId(),
    ...tenant,
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    unitId: unitId ?? null,
    leadId: leadId ?? null,
    status,
    partnerCollection: { isActive: partnerCollection },
    isDeleted: false,
    updatedAt: tenant.createdAt,
  };
}

/** @throws DomainError 422 for approval, another unit, or a wallet that becomes too large (rules RES-4 to RES-8) */
export function decideUpsert(
  loaded: ReservationState,
  request: UpsertReservationDto,
  { unitId, leadId }: LinkedIds,
): ReservationState {
  const { reservation, now } = loaded;
  if (unitId !== undefined && !reservation.unitId?.equals(unitId))
    throw new DomainError(reservationErrors.unitFixed);
  const status = acceptedStatus(reservation.status, request);
  const hasMoved = status !== reservation.status;
  const moved = hasMoved ? withStatus(reservation, status, now) : reservation;
  const fields = changedFields(reservation, request, leadId);
  const isChanged = Object.keys(fields).length > 0;
  const changed = {
    ...loaded,
    reservation: isChanged ? { ...moved, ...fields, updatedAt: now } : moved,
  };
  const isReopened = !isOpenReservation(reservation.status) && isOpenReservation(status);
  const extended = addCheques(isReopened ? restoreWallet(changed) : changed, request.cheques ?? []);
  if (extended === null) throw new DomainError(reservationErrors.walletFull);
  const awaitsCheques = hasMoved && status === 'pending_cheque_collection';
  const touched = awaitsCheques ? touchWallet(extended) : extended;
  return recomputeUnit(hasMoved && status === 'canceled' ? deleteWallet(touched) : touched);
}

/** A repeated or late request only cancels an approval, and reopens only on explicit demand (rules RES-4 and RES-7). */
function acceptedStatus(
  stored: ReservationStatus,
  { status = stored, reopen = false }: UpsertReservationDto,
): ReservationStatus {
  if (status === stored) return stored;
  if (status === 'approved') throw new DomainError(reservationErrors.neverApproved);
  if (stored === 'approved') return status === 'canceled' ? status : stored;
  const isReopening = isOpenReservation(status) && !isOpenReservation(stored);
  return isReopening && !reopen ? stored : status;
}

/** Names the ignored fields, so that a client notices an outdated request (rule RES-7). */
export function ignoredFields(
  { status, reopen = false }: UpsertReservationDto,
  stored: ReservationDocument,
): string[] {
  return [
    ...(status === undefined || status === stored.status ? [] : ['status']),
    ...(reopen && !isOpenReservation(status) ? ['reopen'] : []),
  ];
}

function changedFields(
  stored: ReservationDocument,
  { partnerCollection }: UpsertReservationDto,
  leadId: Types.ObjectId | undefined,
): Partial<Pick<ReservationDocument, 'leadId' | 'partnerCollection'>> {
  const isActive = stored.partnerCollection?.isActive ?? false;
  return {
    ...(leadId === undefined || stored.leadId?.equals(leadId) ? {} : { leadId }),
    ...(partnerCollection === undefined || partnerCollection === isActive
      ? {}
      : { partnerCollection: { ...stored.partnerCollection, isActive: partnerCollection } }),
  };
}
