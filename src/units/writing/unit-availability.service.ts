import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { UnitsRepository } from '../units.repository.js';
import type { OutboundEvent } from '../../events/outbox/pending-event.js';
import { type UnitChange, UnitEvents } from './unit-events.js';

export type { UnitChange, UnitDocument };

/** The status of units as their reservations make it. */
@Injectable()
export class UnitAvailabilityService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly events: UnitEvents,
  ) {}

  /** Those of the units that are neither missing nor deleted. */
  async findAll(
    organizationId: Types.ObjectId,
    unitIds: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    return this.units.findByIds(organizationId, unitIds);
  }

  /**
   * Stores decisions about the statuses of units. A unit's document is written even when its status
   * stays: that write is the lock which keeps two decisions about one unit apart (rule DATA-8).
   */
  async storeAll(organizationId: Types.ObjectId, decisions: readonly UnitChange[]): Promise<void> {
    await this.units.writeLocking(
      organizationId,
      decisions.map(({ before, after }) => {
        const { _id, status = '', updatedAt } = after;
        return { _id, fields: after === before ? {} : { status, updatedAt } };
      }),
    );
  }

  /** The events about changed statuses, undefined where one stays (rule CALL-13). */
  async eventsOf(
    organizationId: Types.ObjectId,
    changes: readonly UnitChange[],
  ): Promise<(OutboundEvent | undefined)[]> {
    return this.events.of(organizationId, changes);
  }
}
