import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import type { ChangeLogDocument } from './change-log.schema.js';

/** The changes that requests made to leads (rule LEAD-12). */
@Injectable()
export class ChangeLogRepository {
  constructor(
    @InjectCollection('ChangeLog') private readonly entries: TenantCollection<ChangeLogDocument>,
    private readonly clock: Clock,
  ) {}

  /** Adds an entry, inside the transaction of the change. */
  async addLeadChange(
    organizationId: Types.ObjectId,
    change: Required<Pick<ChangeLogDocument, 'entityId' | 'context' | 'changes'>>,
  ): Promise<void> {
    const now = this.clock.now();
    await this.entries.insert({
      _id: new Types.ObjectId(),
      organizationId,
      entity: 'Lead',
      modifier: 'External API',
      source: 'API',
      ...change,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** The changes of leads, oldest first. */
  async findByLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<ChangeLogDocument[]> {
    const sort = { createdAt: 1, _id: 1 } as const;
    return this.entries.find(organizationId, { entityId: { $in: leadIds } }, { sort });
  }
}
