import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { leadErrors } from '../../leads/lead-errors.js';
import { LeadsService } from '../../leads/leads.service.js';
import { UnitLookupService, type UnitReference } from '../../units/reading/unit-lookup.service.js';
import { ReservationEffects } from '../callback/reservation-effects.js';
import { reservationErrors } from '../reservation-errors.js';
import type { ReservationRequest } from './reservation-request.js';
import type { ReservationDocument } from './reservation.schema.js';
import { ReservationsRepository } from './reservations.repository.js';
import type { ReservationStatus } from '../states.js';
import { Wallets } from '../cheques/wallets.js';

/** The outcome of an upsert. */
export interface ReservationUpsert {
  readonly operation: 'create' | 'update';
  readonly reservation: ReservationDocument;
}

/** A request's references as ids; undefined where nothing was sent. */
interface References {
  readonly unitId: Types.ObjectId | undefined;
  readonly leadId: Types.ObjectId | undefined;
}

/** The steps of `POST /reservations`, inside its transaction. */
@Injectable()
export class ReservationUpserts {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly units: UnitLookupService,
    private readonly leads: LeadsService,
    private readonly wallets: Wallets,
    private readonly effects: ReservationEffects,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the reservation, or changes the active one with the same `recordSystemId`; then the
   * wallet, then the availability of the unit.
   *
   * @throws DomainError 400 without a unit to create or with an ambiguous one, 404 for an unknown
   *   unit or lead, 422 for a status that only the callback sets and for another unit
   */
  async save(
    organizationId: Types.ObjectId,
    request: ReservationRequest,
  ): Promise<ReservationUpsert> {
    const stored = await this.findStored(organizationId, request.recordSystemId);
    if (stored === null && request.unit === undefined) {
      throw new DomainError(reservationErrors.unitRequired);
    }
    const references = {
      unitId: await this.unitIdOf(organizationId, request.unit, stored),
      leadId: await this.leadIdOf(organizationId, request.lead?.recordSystemId),
    };
    return stored === null
      ? this.create(organizationId, request, references)
      : this.update(stored, request, references);
  }

  /** The stored reservation that a request is about, null when it creates one. */
  async findStored(
    organizationId: Types.ObjectId,
    recordSystemId: string | undefined,
  ): Promise<ReservationDocument | null> {
    if (recordSystemId === undefined) return null;
    return this.reservations.findByRecordSystemId(organizationId, recordSystemId);
  }

  private async create(
    organizationId: Types.ObjectId,
    { recordSystemId, status = 'pending', partnerCollection = false, cheques }: ReservationRequest,
    { unitId, leadId }: References,
  ): Promise<ReservationUpsert> {
    if (!isOpen(status)) {
      const error = status === 'approved' ? 'neverApproved' : 'createdPending';
      throw new DomainError(reservationErrors[error]);
    }
    const now = this.clock.now();
    const reservation: ReservationDocument = {
      _id: new Types.ObjectId(),
      organizationId,
      ...(recordSystemId === undefined ? {} : { recordSystemId }),
      unitId: unitId ?? null,
      leadId: leadId ?? null,
      status,
      partnerCollection: { isActive: partnerCollection },
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.reservations.insert(reservation);
    if (cheques !== undefined) await this.wallets.addCheques(reservation, cheques);
    await this.effects.recomputeUnit(reservation, { emitsEvent: true });
    return { operation: 'create', reservation };
  }

  private async update(
    stored: ReservationDocument,
    request: ReservationRequest,
    { unitId, leadId }: References,
  ): Promise<ReservationUpsert> {
    const { status, cheques } = request;
    if (status === 'approved') throw new DomainError(reservationErrors.neverApproved);
    if (unitId !== undefined && !stored.unitId?.equals(unitId)) {
      throw new DomainError(reservationErrors.unitFixed);
    }
    const fields = changedFields(stored, request, leadId);
    const isCanceled = fields.status === 'canceled';
    const now = this.clock.now();
    const times = { updatedAt: now, ...(isCanceled ? { canceledAt: now } : {}) };
    const isChanged = Object.keys(fields).length > 0;
    const reservation = isChanged ? { ...stored, ...fields, ...times } : stored;
    if (isChanged) await this.reservations.setFields(stored, { ...fields, ...times });
    if (stored.status === 'canceled' && isOpen(fields.status)) {
      await this.wallets.restoreLast(reservation);
    }
    if (cheques !== undefined) await this.wallets.addCheques(reservation, cheques);
    if (isCanceled) await this.effects.deleteWallet(reservation);
    await this.effects.recomputeUnit(reservation, { emitsEvent: true });
    return { operation: 'update', reservation };
  }

  private async unitIdOf(
    organizationId: Types.ObjectId,
    reference: UnitReference | undefined,
    stored: ReservationDocument | null,
  ): Promise<Types.ObjectId | undefined> {
    if (reference === undefined) return undefined;
    const own = stored?.unitId;
    // A reservation can be ended whatever has become of its unit.
    if (own && (await this.units.isNamedBy(organizationId, own, reference))) return own;
    const id = await this.units.idOf(organizationId, reference);
    if (id === 'ambiguous') throw new DomainError(reservationErrors.unitAmbiguous);
    if (id === 'unknown') throw new DomainError(reservationErrors.unitNotFound);
    return id;
  }

  private async leadIdOf(
    organizationId: Types.ObjectId,
    recordSystemId: string | undefined,
  ): Promise<Types.ObjectId | undefined> {
    if (recordSystemId === undefined) return undefined;
    const id = await this.leads.idOf(organizationId, recordSystemId);
    if (id === null) throw new DomainError(leadErrors.notFound);
    return id;
  }
}

/** The sent fields that differ from the stored ones. */
function changedFields(
  stored: ReservationDocument,
  { status, partnerCollection }: ReservationRequest,
  leadId: Types.ObjectId | undefined,
): Partial<Pick<ReservationDocument, 'leadId' | 'partnerCollection'>> & {
  status?: ReservationStatus;
} {
  const isActive = stored.partnerCollection?.isActive ?? false;
  return {
    ...(status === undefined || status === stored.status ? {} : { status }),
    ...(leadId === undefined || stored.leadId?.equals(leadId) ? {} : { leadId }),
    ...(partnerCollection === undefined || partnerCollection === isActive
      ? {}
      : { partnerCollection: { ...stored.partnerCollection, isActive: partnerCollection } }),
  };
}

/** A reservation that is waiting for its approval. */
function isOpen(status: ReservationStatus | undefined): boolean {
  return status === 'pending' || status === 'pending_cheque_collection';
}
