import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { newestFirst } from '../../core/database/documents/keyset.js';
import type { OrganizationIds, TenantModel } from '../../core/database/models/tenant-model.js';
import type { RequestCaller } from '../../core/http/requests/request-caller.js';
import type { CallbackLogDocument, CallbackRecord } from './callback-log.schema.js';

export interface LoggedCallback {
  readonly caller: RequestCaller;
  readonly record: CallbackRecord;
  readonly outcome: CallbackLogDocument['outcome'];
}

@Injectable()
export class CallbackLogRepository {
  constructor(@InjectModel('CallbackLog') private readonly log: TenantModel<CallbackLogDocument>) {}

  /** Joins an open transaction. */
  async insert({ caller, record, outcome }: LoggedCallback, now: Date): Promise<void> {
    const { organizationId, apiKeyId } = caller;
    const { reservationId } = record.payload;
    const entry = {
      _id: new Types.ObjectId(),
      organizationId,
      apiKeyId,
      ...record,
      reservationId: typeof reservationId === 'string' ? reservationId.toLowerCase() : null,
      outcome,
      createdAt: now,
      updatedAt: now,
    };
    await this.log.insertMany([entry], { lean: true });
  }

  async findByReservation(
    organizationId: OrganizationIds,
    reservationId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    return this.log
      .find({ organizationId, reservationId }, null, { sort: newestFirst, limit })
      .lean();
  }

  /** Returns the newest first. */
  async findWithUnitChange(
    organizationId: Types.ObjectId,
    reservationIds: readonly string[],
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    const hasChange = { 'outcome.effects.unit': { $exists: true } };
    const filter = { organizationId, reservationId: { $in: reservationIds }, ...hasChange };
    return this.log.find(filter, null, { sort: newestFirst, limit }).lean();
  }

  async findByRequest(
    organizationId: OrganizationIds,
    requestId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    return this.log.find({ organizationId, requestId }, null, { limit }).lean();
  }
}
