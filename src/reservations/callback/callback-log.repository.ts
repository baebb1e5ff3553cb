import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { RequestCaller } from '../../core/http/request-caller.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import type { Tenants } from '../../core/database/documents/tenant-operations.js';
import type { CallbackLogDocument } from './callback-log.schema.js';
import type { CallbackRecord } from './callback-record.js';

/** A callback and what it did. */
export interface LoggedCallback {
  readonly caller: RequestCaller;
  readonly record: CallbackRecord;
  readonly outcome: CallbackLogDocument['outcome'];
}

/** The queries on `reservationCallbacks`, the log of callbacks. */
@Injectable()
export class CallbackLogRepository {
  constructor(
    @InjectCollection('CallbackLog')
    private readonly log: TenantCollection<CallbackLogDocument>,
  ) {}

  /** Adds callbacks with their outcomes, inside the open transaction if there is one. */
  async insert(callbacks: readonly LoggedCallback[], now: Date): Promise<void> {
    await this.log.insertAll(
      callbacks.map(({ caller: { organizationId, apiKeyId }, record, outcome }) => {
        const { reservationId } = record.payload;
        return {
          _id: new Types.ObjectId(),
          organizationId,
          apiKeyId,
          ...record,
          reservationId: typeof reservationId === 'string' ? reservationId.toLowerCase() : null,
          outcome,
          createdAt: now,
          updatedAt: now,
        };
      }),
    );
  }

  /** The callbacks of an organization about a reservation id, newest first. */
  async list(
    organizationId: Types.ObjectId,
    reservationId: string,
    part: KeysetRequest,
  ): Promise<KeysetPage<CallbackLogDocument>> {
    return this.log.page(organizationId, { reservationId }, newestFirst, part);
  }

  /** The newest callbacks about reservations that changed the status of their unit. */
  async listWithUnitChanges(
    organizationId: Types.ObjectId,
    reservationIds: readonly string[],
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    if (reservationIds.length === 0) return [];
    const filter = {
      reservationId: { $in: reservationIds },
      'outcome.effects.unit': { $exists: true },
    };
    return this.log.find(organizationId, filter, { sort: newestFirst, limit });
  }

  /** The callbacks with the ids of requests, in no order. */
  async ofRequests(
    organizationIds: Tenants,
    requestIds: readonly string[],
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    if (requestIds.length === 0) return [];
    return this.log.find(organizationIds, { requestId: { $in: requestIds } }, { limit });
  }

  /** The callbacks of any of the organizations about a reservation id, newest first. */
  async findAcross(
    organizationIds: readonly Types.ObjectId[],
    reservationId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    return this.log.find(organizationIds, { reservationId }, { sort: newestFirst, limit });
  }
}
