import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { UnitsRepository } from '../units.repository.js';
import { UnitEvents } from './unit-events.js';

export type { UnitDocument };

/** The status of units as their reservations make it. */
@Injectable()
export class UnitAvailabilityService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly events: UnitEvents,
  ) {}

  /** The unit, null when it is missing or deleted. */
  async find(organizationId: Types.ObjectId, unitId: Types.ObjectId): Promise<UnitDocument | null> {
    return this.units.findById(organizationId, unitId);
  }

  /**
   * Stores a decision about a unit's status. The unit's document is written even when its status
   * stays: that write is the lock which keeps two decisions about one unit apart (rule DATA-8).
   *
   * @param publishedFor the request that a change is published as an event of; null when it is not
   *   published (rule CALL-13)
   */
  async store(
    before: UnitDocument,
    after: UnitDocument,
    publishedFor: string | null,
  ): Promise<void> {
    const { status = '', updatedAt } = after;
    await this.units.setFieldsLocking(before, after === before ? {} : { status, updatedAt });
    if (publishedFor !== null) await this.events.updated(before, after, publishedFor);
  }
}
