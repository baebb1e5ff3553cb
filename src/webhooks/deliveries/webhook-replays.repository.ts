import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { decodeCursor, type KeysetPosition } from '../../core/database/documents/keyset.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { pageOf } from '../../core/database/models/pages.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

interface ReplayedCount {
  readonly _id: {
    readonly status: WebhookDeliveryDocument['status'];
    /** True if there was an attempt since. */
    readonly isTried: boolean;
  };
  readonly count: number;
}

type Endpoint = Pick<WebhookEndpointDocument, '_id' | 'organizationId'>;

/** A larger statement would delay other writes. */
const batchSize = 1_000;
const oldestFirst = { createdAt: 1, _id: 1 } as const;

/** Queues deliveries to be sent again. */
@Injectable()
export class WebhookReplaysRepository {
  constructor(
    @InjectModel('WebhookDelivery')
    private readonly deliveries: TenantModel<WebhookDeliveryDocument>,
    private readonly clock: Clock,
  ) {}

  /** Starts a new round of deliveries that do not belong to the run yet, and yields their numbers. */
  async *startRounds(
    organizationId: Types.ObjectId,
    filter: TenantFilter<WebhookDeliveryDocument>,
    replayRun: Date,
  ): AsyncGenerator<number, void> {
    const remaining = { ...filter, organizationId, replayRun: { $ne: replayRun } };
    const fields = ['_id', 'createdAt'] as const;
    let after: KeysetPosition | undefined;
    do {
      const part = { limit: batchSize, after };
      const found = await pageOf(this.deliveries, remaining, oldestFirst, part, { fields });
      const _id = { $in: found.items.map((delivery) => delivery._id) };
      const round = newRound(replayRun, this.clock.now());
      const { modifiedCount } = await this.deliveries.updateMany({ ...remaining, _id }, round);
      yield modifiedCount;
      after = found.next === null ? undefined : (decodeCursor(found.next) ?? undefined);
    } while (after !== undefined);
  }

  /**
   * Makes pending deliveries that do not belong to the run yet due, and yields their numbers. Running attempts are not
   * affected.
   */
  async *makeDue(
    { _id: endpointId, organizationId }: Endpoint,
    replayRun: Date,
    now: Date,
  ): AsyncGenerator<number, void> {
    const remaining = {
      organizationId,
      endpointId,
      status: 'pending',
      replayRun: { $ne: replayRun },
    } as const;
    const options = { sort: { nextAttemptAt: 1 }, limit: batchSize } as const;
    const nextAttemptAt = { $min: ['$nextAttemptAt', now] };
    const update = [{ $set: { replayRun, nextAttemptAt, updatedAt: now } }];
    let hasMore = true;
    for (let after = new Date(0); hasMore;) {
      // Only later deliveries remain, and those of the same millisecond.
      const later = { ...remaining, createdAt: { $lte: now }, nextAttemptAt: { $gte: after } };
      const found = await this.deliveries.find(later, ['nextAttemptAt'], options).lean();
      const _id = { $in: found.map((delivery) => delivery._id) };
      const { modifiedCount } = await this.deliveries.updateMany({ ...remaining, _id }, update, {
        updatePipeline: true,
      });
      yield modifiedCount;
      after = found.at(-1)?.nextAttemptAt ?? after;
      hasMore = found.length === batchSize;
    }
  }

  /** Counts deliveries that replays since a time have queued. */
  async countReplayed(
    { _id: endpointId, organizationId }: Endpoint,
    since: Date,
  ): Promise<readonly ReplayedCount[]> {
    const isTried = { $gte: [{ $last: '$log.startedAt' }, since] };
    return this.deliveries.aggregate<ReplayedCount>([
      { $match: { organizationId, endpointId, replayRun: { $gte: since } } },
      { $group: { _id: { status: '$status', isTried }, count: { $sum: 1 } } },
    ]);
  }
}

/** A running attempt still belongs to the old round. */
function newRound(replayRun: Date, now: Date) {
  const $set = {
    status: 'pending',
    failureReason: null,
    attempts: 0,
    nextAttemptAt: now,
    completedAt: null,
    replayRun,
    updatedAt: now,
  } as const;
  return { $set, $inc: { round: 1 } };
}
