import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { rewritesOf, type PreparedRewrites } from '../../database/documents/rewrites.js';
import type { Caller } from '../../authentication/caller.js';
import { Clock } from '../../configuration/clock.js';
import {
  type HistoryPage,
  type HistoryPart,
  readHistory,
} from '../../database/documents/history.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import type { CallbackLogDocument } from './callback-log.schema.js';
import type { CallbackRequest } from './callback-request.js';

/** A callback as it was received, and what it did. */
export interface LoggedCallback {
  readonly caller: Caller;
  readonly request: CallbackRequest;
  readonly outcome: CallbackLogDocument['outcome'];
}

/** The queries on `reservationCallbacks`, the log of callbacks. */
@Injectable()
export class CallbackLogRepository {
  constructor(
    @InjectCollection('CallbackLog')
    private readonly log: TenantCollection<CallbackLogDocument>,
    private readonly clock: Clock,
  ) {}

  /** Adds callbacks with their outcomes, inside the open transaction if there is one. */
  async insert(callbacks: readonly LoggedCallback[]): Promise<void> {
    const now = this.clock.now();
    await this.log.insertAll(
      callbacks.map(({ caller: { organizationId, apiKeyId }, request, outcome }) => {
        const { requestId, payload } = request;
        const { reservationId } = payload as { reservationId?: unknown };
        return {
          _id: new Types.ObjectId(),
          organizationId,
          apiKeyId,
          requestId,
          reservationId: typeof reservationId === 'string' ? reservationId.toLowerCase() : null,
          payload,
          outcome,
          createdAt: now,
          updatedAt: now,
        };
      }),
    );
  }

  /** What becomes of the callbacks of an organization, as `payloadOf` decides it of what was sent. */
  rewritesOfPayloads(
    organizationId: Types.ObjectId,
    payloadOf: (callback: CallbackLogDocument) => object,
  ): AsyncGenerator<PreparedRewrites, void> {
    return rewritesOf(this.log, organizationId, {}, (callback) => {
      const payload = payloadOf(callback);
      return isDeepStrictEqual(payload, callback.payload)
        ? null
        : { update: { $set: { payload } } };
    });
  }

  /** The callbacks of an organization about a reservation id, newest first. */
  async list(
    organizationId: Types.ObjectId,
    reservationId: string,
    part: HistoryPart,
  ): Promise<HistoryPage<CallbackLogDocument>> {
    return readHistory(part, ({ until, options }) =>
      this.log.find(organizationId, { reservationId, ...until }, options),
    );
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
    return this.log.find(organizationId, filter, { sort: { createdAt: -1 }, limit });
  }

  /** The callbacks of any of the organizations about a reservation id, newest first. */
  async findAcross(
    organizationIds: readonly Types.ObjectId[],
    reservationId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    const options = { sort: { createdAt: -1, _id: -1 }, limit } as const;
    return this.log.findAcross(organizationIds, { reservationId }, options);
  }
}
