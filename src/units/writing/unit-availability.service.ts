import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { availability } from './availability.js';
import { UnitEvents } from './unit-events.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { UnitsRepository } from '../units.repository.js';

/** How a unit's status is recomputed. */
export interface RecomputeOptions {
  /** A change is published; the reservation callback's are not (rule CALL-13). */
  readonly emitsEvent?: boolean;
}

/**
 * The status of units as their reservations make it. Each change writes the unit's document, which
 * is the lock that keeps two decisions about one unit apart (rule DATA-8).
 */
@Injectable()
export class UnitAvailabilityService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly events: UnitEvents,
    private readonly clock: Clock,
  ) {}

  async isDeleted(organizationId: Types.ObjectId, unitId: Types.ObjectId): Promise<boolean> {
    return (await this.units.findById(organizationId, unitId)) === null;
  }

  /** Marks a unit as sold. A deleted unit stays as it is. */
  async markSold(organizationId: Types.ObjectId, unitId: Types.ObjectId): Promise<void> {
    const unit = await this.units.findById(organizationId, unitId);
    if (unit !== null) await this.setStatus(unit, 'Sold');
  }

  /**
   * Recomputes a unit's status (rule CALL-11). A deleted unit stays as it is.
   *
   * @param reservations statuses of the unit's reservations
   * @returns whether the status has changed
   */
  async recompute(
    organizationId: Types.ObjectId,
    unitId: Types.ObjectId,
    reservations: readonly string[],
    { emitsEvent = false }: RecomputeOptions = {},
  ): Promise<boolean> {
    const unit = await this.units.findById(organizationId, unitId);
    if (unit === null) return false;
    const changed = await this.setStatus(unit, availability(unit.status, reservations));
    if (changed !== null && emitsEvent) await this.events.updated(unit, changed);
    return changed !== null;
  }

  /** The unit with its new status, null when it had it already. */
  private async setStatus(unit: UnitDocument, status: string): Promise<UnitDocument | null> {
    const isChanged = unit.status !== status;
    const fields = isChanged ? { status, updatedAt: this.clock.now() } : {};
    await this.units.setFieldsLocking(unit, fields);
    return isChanged ? { ...unit, ...fields } : null;
  }
}
