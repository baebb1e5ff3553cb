import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import type { Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type { LatencyClass } from '../deliveries/delivery-outcome.js';
import type { WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** Rule HOOK-9. */
const leaseMs = 60_000;
const renewalMs = 2_000;
const leaseEnd = { $add: ['$$NOW', leaseMs] };

export interface EndpointTurn {
  readonly _id: Types.ObjectId;
  readonly latencyClass?: LatencyClass;
  /** Whether no worker has it, and it is not paused. */
  readonly isReady: boolean;
}

const isFree = {
  $or: [{ $lte: ['$leaseOwner', null] }, { $lte: ['$leasedUntil', '$$NOW'] }],
};
/** Only an enabled endpoint can be paused: the deliveries of another one fail. */
const isPausedAt = (now: Date) => ({
  $and: [{ $eq: ['$isEnabled', true] }, { $gt: ['$pausedUntil', now] }],
});

@Injectable()
export class EndpointLeasesRepository {
  private readonly endpoints: Collection<WebhookEndpointDocument>;
  /** An attempt and a second for its response's body fit into a lease that was renewed so long ago. */
  private readonly freshMs: number;

  constructor(
    @InjectAcrossTenants('WebhookEndpoint')
    collection: CollectionAcrossTenants<WebhookEndpointDocument>,
    @Inject(ENVIRONMENT) { WEBHOOKS_TIMEOUT_MS }: Environment,
  ) {
    this.endpoints = collection.acrossTenants;
    this.freshMs = leaseMs - WEBHOOKS_TIMEOUT_MS - 1_000;
  }

  async turns(ids: readonly Types.ObjectId[], now: Date): Promise<EndpointTurn[]> {
    const isReady = { $and: [isFree, { $not: [isPausedAt(now)] }] };
    const projection = { latencyClass: 1, isReady };
    return this.endpoints.find<EndpointTurn>({ _id: { $in: [...ids] } }, { projection }).toArray();
  }

  async lease(_id: Types.ObjectId): Promise<EndpointLease | null> {
    const owner = randomUUID();
    const takenAt = performance.now();
    const endpoint = await this.endpoints.findOneAndUpdate(
      { _id, $expr: isFree },
      [{ $set: { leaseOwner: owner, leasedUntil: leaseEnd } }],
      { returnDocument: 'after' },
    );
    if (endpoint === null) return null;
    const extended = [{ $set: { leasedUntil: leaseEnd } }];
    const renew = async () =>
      (await this.endpoints.updateOne({ _id, leaseOwner: owner }, extended)).matchedCount === 1;
    return new EndpointLease(
      this.endpoints,
      endpoint,
      owner,
      { takenAt, freshMs: this.freshMs },
      renew,
    );
  }
}

/** An endpoint that belongs to this process until its release, renewed every two seconds. */
export class EndpointLease {
  private readonly timer = setInterval(() => void this.renew(), renewalMs);
  private readonly freshMs: number;
  private renewedAt: number;

  constructor(
    private readonly endpoints: Collection<WebhookEndpointDocument>,
    readonly endpoint: WebhookEndpointDocument,
    private readonly owner: string,
    { takenAt, freshMs }: { readonly takenAt: number; readonly freshMs: number },
    private readonly extend: () => Promise<boolean>,
  ) {
    this.renewedAt = takenAt;
    this.freshMs = freshMs;
  }

  /** Whether an attempt that begins now ends before another worker can have the endpoint. */
  get coversAttempt(): boolean {
    return performance.now() - this.renewedAt < this.freshMs;
  }

  async renew(): Promise<void> {
    const startedAt = performance.now();
    const isRenewed = await this.extend().catch(() => null);
    if (isRenewed !== null) this.renewedAt = isRenewed ? startedAt : Number.NEGATIVE_INFINITY;
  }

  /** Leaves the endpoint to the end of the lease. */
  abandon(): void {
    clearInterval(this.timer);
  }

  /** Frees the endpoint and stores fields, if the operator has not changed it since; returns whether. */
  async release(fields: Partial<WebhookEndpointDocument>): Promise<boolean> {
    this.abandon();
    const { _id, updatedAt } = this.endpoint;
    const [own, free] = [{ _id, leaseOwner: this.owner }, { leaseOwner: null }];
    const update = { $set: { ...fields, ...free } };
    const { matchedCount } = await this.endpoints.updateOne({ ...own, updatedAt }, update);
    if (matchedCount === 0) await this.endpoints.updateOne(own, { $set: free });
    return matchedCount === 1;
  }
}
