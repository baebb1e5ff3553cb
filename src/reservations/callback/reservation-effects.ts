import { Injectable } from '@nestjs/common';
import { Clock } from '../../configuration/clock.js';
import {
  type RecomputeOptions,
  UnitAvailabilityService,
} from '../../units/writing/unit-availability.service.js';
import type { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import type { ReservationDocument } from '../records/reservation.schema.js';
import { ReservationsRepository } from '../records/reservations.repository.js';
import type { ReservationStatus } from '../states.js';
import type { Effect, ReservationFacts } from '../transitions.js';
import { Wallets } from '../cheques/wallets.js';

/** A reservation after effects, and whether any of them stored something. */
export interface Applied {
  readonly reservation: ReservationDocument;
  readonly hasStored: boolean;
}

/** Does to reservations, units and wallets what the transitions decide, inside a transaction. */
@Injectable()
export class ReservationEffects {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly units: UnitAvailabilityService,
    private readonly wallets: Wallets,
    private readonly clock: Clock,
  ) {}

  /** What decisions about a reservation have to know. */
  async factsOf(reservation: ReservationDocument): Promise<ReservationFacts> {
    const { organizationId, unitId, status } = reservation;
    return {
      status,
      isUnitDeleted: !unitId || (await this.units.isDeleted(organizationId, unitId)),
    };
  }

  /** Whether another reservation of the same unit is approved. */
  async isUnitReservedByAnother(reservation: ReservationDocument): Promise<boolean> {
    const others = await this.statusesOfOthers(reservation);
    return others.includes('approved');
  }

  /**
   * Applies effects in order.
   *
   * @param wallet the wallet that a restoration is about
   */
  async apply(
    effects: readonly Effect[],
    reservation: ReservationDocument,
    wallet?: ChequeWalletDocument,
  ): Promise<Applied> {
    let applied: Applied = { reservation, hasStored: false };
    for (const effect of effects) {
      const next = await this.applyOne(effect, applied.reservation, wallet);
      applied = { ...next, hasStored: applied.hasStored || next.hasStored };
    }
    return applied;
  }

  /**
   * Recomputes the status of the reservation's unit.
   *
   * @returns whether it has changed
   */
  async recomputeUnit(
    reservation: ReservationDocument,
    options: RecomputeOptions = {},
  ): Promise<boolean> {
    const { organizationId, unitId, status } = reservation;
    if (!unitId) return false;
    const statuses = [status, ...(await this.statusesOfOthers(reservation))];
    return this.units.recompute(organizationId, unitId, statuses, options);
  }

  /**
   * Soft-deletes the active wallet of a reservation that is in the partner collection flow.
   *
   * @returns whether there was one
   */
  async deleteWallet({
    organizationId,
    _id,
    partnerCollection,
  }: ReservationDocument): Promise<boolean> {
    if (partnerCollection?.isActive !== true) return false;
    return this.wallets.deleteActive(organizationId, _id);
  }

  private async applyOne(
    effect: Effect,
    reservation: ReservationDocument,
    wallet?: ChequeWalletDocument,
  ): Promise<Applied> {
    switch (effect) {
      case 'approve':
        return this.approve(reservation);
      case 'cancel':
        return this.cancel(reservation);
      case 'deleteWallet':
        return { reservation, hasStored: await this.deleteWallet(reservation) };
      case 'restoreWallet':
        if (wallet !== undefined) await this.wallets.restore(wallet);
        return { reservation, hasStored: true };
      default:
        return effect satisfies never;
    }
  }

  private async approve(reservation: ReservationDocument): Promise<Applied> {
    const now = this.clock.now();
    const fields = { status: 'approved', approvedAt: now, updatedAt: now } as const;
    const { organizationId, unitId } = reservation;
    if (unitId) await this.units.markSold(organizationId, unitId);
    await this.reservations.setFields(reservation, fields);
    return { reservation: { ...reservation, ...fields }, hasStored: true };
  }

  private async cancel(reservation: ReservationDocument): Promise<Applied> {
    const now = this.clock.now();
    const fields = { status: 'canceled', canceledAt: now, updatedAt: now } as const;
    const isNew = reservation.status !== 'canceled';
    const canceled = isNew ? { ...reservation, ...fields } : reservation;
    if (isNew) await this.reservations.setFields(reservation, fields);
    const hasRecomputed = await this.recomputeUnit(canceled);
    return { reservation: canceled, hasStored: isNew || hasRecomputed };
  }

  /** Statuses of the other reservations of the same unit. */
  private async statusesOfOthers({
    organizationId,
    unitId,
    _id,
  }: ReservationDocument): Promise<ReservationStatus[]> {
    if (!unitId) return [];
    const all = await this.reservations.statusesOfUnit(organizationId, unitId);
    return all.filter((other) => !other._id.equals(_id)).map(({ status }) => status);
  }
}
