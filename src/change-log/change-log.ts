import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import type { ChangeContext, ChangeLogDocument } from './change-log.schema.js';
import type { FieldChange } from './field-changes.js';

/** What happened to which lead. */
export interface LeadChange {
  readonly leadId: Types.ObjectId;
  readonly context: ChangeContext;
  readonly changes: readonly FieldChange[];
}

/** The record of every change of a lead through this API (section 1, item 5). */
@Injectable()
export class ChangeLog {
  constructor(
    @InjectCollection('ChangeLog') private readonly entries: TenantCollection<ChangeLogDocument>,
    private readonly clock: Clock,
  ) {}

  /** Adds an entry, inside the transaction of the change. */
  async recordLeadChange(organizationId: Types.ObjectId, change: LeadChange): Promise<void> {
    const now = this.clock.now();
    await this.entries.insert({
      _id: new Types.ObjectId(),
      organizationId,
      entity: 'Lead',
      entityId: change.leadId,
      context: change.context,
      modifier: 'External API',
      source: 'API',
      changes: change.changes,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** What was done to leads, oldest first. */
  async ofLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<ChangeLogDocument[]> {
    const sort = { createdAt: 1, _id: 1 } as const;
    return this.entries.find(organizationId, { entityId: { $in: leadIds } }, { sort });
  }
}
