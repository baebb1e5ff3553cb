import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { CallbackRecordDocument } from './callback-record.schema.js';

/** The queries on `reservationCallbacks`. */
@Injectable()
export class CallbackRecordsRepository {
  constructor(
    @InjectCollection('CallbackRecord')
    private readonly records: TenantCollection<CallbackRecordDocument>,
  ) {}

  async insert(record: CallbackRecordDocument): Promise<void> {
    await this.records.insert(record);
  }

  /** What any of the organizations sent about a reservation id, newest first. */
  async findAcross(
    organizationIds: readonly Types.ObjectId[],
    reservationId: string,
    limit: number,
  ): Promise<CallbackRecordDocument[]> {
    const options = { sort: { createdAt: -1, _id: -1 }, limit } as const;
    return this.records.findAcross(organizationIds, { reservationId }, options);
  }
}
