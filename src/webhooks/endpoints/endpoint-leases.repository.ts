import { Injectable } from '@nestjs/common';
import type { Collection, Document } from 'mongodb';
import type { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import {
  type AttemptResult,
  failingDaysLimit,
  failingSinceLimit,
  isGoneResponse,
  isSuccess,
  type LatencyClass,
  pauseUntil,
} from '../deliveries/delivery-outcome.js';
import { typesFault, type WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** How long an endpoint belongs to a worker that is silent (rule HOOK-9). */
export const leaseMs = 60_000;

/** An endpoint as far as it decides about its turn. */
export interface EndpointTurn {
  readonly _id: Types.ObjectId;
  readonly latencyClass?: LatencyClass;
  /** Whether no worker has it, and no pause keeps its deliveries waiting. */
  readonly isReady: boolean;
}

const isFree = {
  $or: [{ $lte: ['$leaseOwner', null] }, { $lte: ['$leasedUntil', '$$NOW'] }],
};
const leaseEnd = { $add: ['$$NOW', leaseMs] };
/** A pause keeps only an enabled endpoint waiting: for another one everything fails. */
const isPausedAt = (now: Date) => ({
  $and: [{ $eq: ['$isEnabled', true] }, { $gt: ['$pausedUntil', now] }],
});

/** Gives one worker of all an endpoint at a time, by the clock of the server (rule HOOK-9). */
@Injectable()
export class EndpointLeasesRepository {
  private readonly endpoints: Collection<WebhookEndpointDocument>;

  constructor(
    @InjectAcrossTenants('WebhookEndpoint')
    collection: CollectionAcrossTenants<WebhookEndpointDocument>,
  ) {
    this.endpoints = collection.acrossTenants;
  }

  async turns(ids: readonly Types.ObjectId[], now: Date): Promise<EndpointTurn[]> {
    const isReady = { $and: [isFree, { $not: [isPausedAt(now)] }] };
    const projection = { latencyClass: 1, isReady };
    return this.endpoints.find<EndpointTurn>({ _id: { $in: [...ids] } }, { projection }).toArray();
  }

  /** Leases an endpoint that is free; null when it is not. */
  async lease(_id: Types.ObjectId, leaseOwner: string): Promise<WebhookEndpointDocument | null> {
    const lease = [{ $set: { leaseOwner, leasedUntil: leaseEnd } }];
    const options = { returnDocument: 'after' } as const;
    return this.endpoints.findOneAndUpdate({ _id, $expr: isFree }, lease, options);
  }

  /** Lengthens a lease, if it still is the owner's. */
  async renew(_id: Types.ObjectId, leaseOwner: string): Promise<void> {
    await this.endpoints.updateOne({ _id, leaseOwner }, [{ $set: { leasedUntil: leaseEnd } }]);
  }

  /**
   * Ends a lease and stores what a batch says about the endpoint (rules HOOK-7 and HOOK-8).
   *
   * @returns why the endpoint was disabled by that; null when it was not
   */
  async release(
    { _id, isEnabled }: WebhookEndpointDocument,
    leaseOwner: string,
    { results, fields, now }: BatchEnd,
  ): Promise<string | null> {
    const $set: Document = { leaseOwner: null };
    for (const [field, value] of Object.entries(fields)) $set[field] = { $literal: value };
    const after = await this.endpoints.findOneAndUpdate(
      { _id, leaseOwner },
      [...(results.length === 0 ? [] : stagesAfter(results, now)), { $set }],
      { returnDocument: 'after', projection: { isEnabled: 1, disabledReason: 1 } },
    );
    const reason = after?.disabledReason ?? null;
    // The operator may have turned it off meanwhile.
    const isDisabled = after?.isEnabled === false && (reason === 'gone' || reason === 'failing');
    return isDisabled && isEnabled === true ? reason : null;
  }
}

/** What a batch says about its endpoint. */
export interface BatchEnd {
  /** In the order in which the attempts ended. */
  readonly results: readonly AttemptResult[];
  /** Fields of the endpoint that are set whatever the results are. */
  readonly fields: Partial<WebhookEndpointDocument>;
  readonly now: Date;
}

function stagesAfter(results: readonly AttemptResult[], now: Date): Document[] {
  const pauses = results.flatMap((result) => pauseUntil(result, now) ?? []);
  const isGone = results.some(isGoneResponse);
  const shouldDisable = {
    $and: [{ $eq: ['$isEnabled', true] }, isGone || isFailingTooLong(now)],
  };
  return [
    { $set: { failingSince: failingSince(results, now) } },
    { $set: { failingDays: failingDays(now) } },
    {
      $set: {
        // The secrets could be opened.
        fault: { $cond: [{ $eq: ['$fault', typesFault] }, '$fault', null] },
        pausedUntil: { $max: ['$pausedUntil', ...pauses] },
        isEnabled: { $cond: [shouldDisable, false, '$isEnabled'] },
        disabledReason: {
          $cond: [shouldDisable, isGone ? 'gone' : 'failing', '$disabledReason'],
        },
        updatedAt: { $cond: [shouldDisable, now, '$updatedAt'] },
      },
    },
  ];
}

/** Since when every attempt has failed: a success starts the count again. */
function failingSince(results: readonly AttemptResult[], now: Date): Document | Date | null {
  const hasFailedLast = !isSuccess(results.at(-1) as AttemptResult);
  if (results.some(isSuccess)) return hasFailedLast ? now : null;
  return { $ifNull: ['$failingSince', now] };
}

/** The last days with failures since then, today among them; none after a success. */
function failingDays(now: Date): Document {
  const today = now.toISOString().slice(0, 10);
  const firstDay = { $dateToString: { date: '$failingSince', format: '%Y-%m-%d' } };
  const earlierDays = {
    $filter: {
      input: { $ifNull: ['$failingDays', []] },
      cond: { $and: [{ $gte: ['$$this', firstDay] }, { $ne: ['$$this', today] }] },
    },
  };
  const days = { $slice: [{ $concatArrays: [earlierDays, [today]] }, -failingDaysLimit] };
  return { $cond: [{ $eq: ['$failingSince', null] }, [], days] };
}

function isFailingTooLong(now: Date): Document {
  return {
    $and: [
      { $ne: ['$failingSince', null] },
      { $lte: ['$failingSince', failingSinceLimit(now)] },
      { $eq: [{ $size: '$failingDays' }, failingDaysLimit] },
    ],
  };
}
