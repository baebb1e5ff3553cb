import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import PQueue from 'p-queue';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { DeliveryGiveUps } from '../deliveries/delivery-give-ups.js';
import { type Budget, DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { Batcher } from './batcher.js';
import { ByteBudget, freeBytes } from './byte-budget.js';
import { DeliveryAttemptRunner, type LeasedDelivery } from './delivery-attempt-runner.js';

/** How long a delivery belongs to the worker that leased it (rule HOOK-9). */
const leaseMs = 60_000;
/** How long attempts that are running at a shutdown may continue (rule HOOK-9). */
const shutdownGraceMs = 5_000;

/** How many bytes of large deliveries a process holds, and how many for one endpoint. */
const budgetBytes = 32 * 1_048_576;
const budgetBytesPerEndpoint = budgetBytes / 4;

/** A leased delivery with what it takes of the budget. */
interface PaidDelivery extends LeasedDelivery {
  readonly bytes: number;
}

/** What this process delivers to one endpoint. */
interface EndpointDeliveries {
  readonly leases: Batcher<void, PaidDelivery>;
  readonly budget: Budget;
  /** How many may run at the same time. */
  limit: number;
  /** How many are running or wait for a slot. */
  active: number;
  /** Whether the last attempt that ended has failed. */
  isFailing: boolean;
  /** Whether something may be due that is neither running nor waiting for a slot. */
  mayHaveDue: boolean;
}

/**
 * Delivers what is due. All deliveries share the slots of the process, and those with the fewest
 * others to their endpoint go first. One endpoint gets at most a quarter of the slots, and failing
 * ones together at most half, so that a slow or dead one delays no other (rule HOOK-8).
 *
 * A delivery is leased when it has a slot, so that no lease runs out while it waits for one.
 */
@Injectable()
export class WebhookWorker {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly deliveries = new Map<string, EndpointDeliveries>();
  private readonly slots: PQueue;
  /** Deliveries to failing endpoints need one of these slots as well. */
  private readonly slotsOfFailing: PQueue;
  private readonly budget = new ByteBudget(budgetBytes, budgetBytesPerEndpoint);
  private readonly limitPerEndpoint: number;
  private readonly shutdown = new AbortController();
  private isStopping = false;

  constructor(
    @Inject(ENVIRONMENT) { WEBHOOKS_CONCURRENCY: concurrency }: Environment,
    private readonly queue: DeliveryQueueRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly attemptRunner: DeliveryAttemptRunner,
    private readonly giveUps: DeliveryGiveUps,
    private readonly clock: Clock,
  ) {
    this.slots = new PQueue({ concurrency });
    this.slotsOfFailing = new PQueue({ concurrency: Math.max(1, Math.floor(concurrency / 2)) });
    this.limitPerEndpoint = Math.max(1, Math.floor(concurrency / 4));
  }

  /** Starts the deliveries that are due now, as far as the limits allow; the others follow. */
  async deliverDue(): Promise<void> {
    const now = this.clock.now();
    for (const { _id, dueAt } of await this.queue.dueEndpoints()) {
      if (dueAt > now) continue;
      const endpoint = this.deliveriesTo(_id);
      endpoint.mayHaveDue = true;
      this.startDeliveries(endpoint);
    }
  }

  /** Leases nothing new, lets what is running finish for a moment, and releases the rest. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const timer = setTimeout(() => this.shutdown.abort(), shutdownGraceMs);
    await this.slotsOfFailing.onIdle();
    await this.slots.onIdle();
    clearTimeout(timer);
  }

  private deliveriesTo(endpointId: Types.ObjectId): EndpointDeliveries {
    const key = endpointId.toHexString();
    const known = this.deliveries.get(key);
    if (known !== undefined) return known;
    const endpoint: EndpointDeliveries = {
      leases: new Batcher((slots) => this.leaseSafely(endpointId, endpoint, slots.length)),
      budget: this.budget.forEndpoint(),
      limit: 1,
      active: 0,
      isFailing: false,
      mayHaveDue: false,
    };
    this.deliveries.set(key, endpoint);
    return endpoint;
  }

  private startDeliveries(endpoint: EndpointDeliveries): void {
    while (!this.isStopping && endpoint.mayHaveDue && endpoint.active < endpoint.limit) {
      endpoint.active += 1;
      const priority = -endpoint.active;
      const deliver = () => this.slots.add(() => this.deliverNext(endpoint), { priority });
      const delivered = endpoint.isFailing ? this.slotsOfFailing.add(deliver) : deliver();
      void delivered.finally(() => {
        endpoint.active -= 1;
        this.startDeliveries(endpoint);
      });
    }
  }

  /** Never rejects: what could not be stored becomes due again when its lease ends. */
  private async deliverNext(endpoint: EndpointDeliveries): Promise<void> {
    const leased = await endpoint.leases.add();
    if (leased === undefined) return;
    let isDelivered = false;
    try {
      isDelivered = await this.attemptRunner.run(leased, this.shutdown.signal);
    } catch (error) {
      const message = 'The result of a delivery attempt could not be stored';
      this.logger.warn({ err: error }, message);
    }
    endpoint.budget.release(leased.bytes);
    // What there were no bytes for may go now.
    if (leased.bytes > freeBytes) endpoint.mayHaveDue = true;
    endpoint.limit = isDelivered ? Math.min(this.limitPerEndpoint, endpoint.limit * 2) : 1;
    endpoint.isFailing = !isDelivered;
  }

  private async leaseSafely(
    endpointId: Types.ObjectId,
    deliveries: EndpointDeliveries,
    limit: number,
  ): Promise<PaidDelivery[]> {
    // What becomes due from now on may not be in this lease.
    deliveries.mayHaveDue = false;
    if (this.isStopping) return [];
    try {
      const { leased, hasMore } = await this.lease(endpointId, limit, deliveries.budget);
      if (hasMore) deliveries.mayHaveDue = true;
      return leased;
    } catch (error) {
      this.logger.warn({ err: error }, 'Deliveries could not be leased');
      return [];
    }
  }

  private async lease(
    endpointId: Types.ObjectId,
    limit: number,
    budget: Budget,
  ): Promise<{ leased: PaidDelivery[]; hasMore: boolean }> {
    const endpoint = await this.endpoints.findById(endpointId);
    const now = this.clock.now();
    const nothing = { leased: [], hasMore: false };
    if (endpoint?.isEnabled !== true) {
      const hasMore = await this.giveUps.giveUpBatch(endpointId, endpoint);
      if (!hasMore) this.deliveries.delete(endpointId.toHexString());
      return { leased: [], hasMore };
    }
    if (endpoint.pausedUntil && endpoint.pausedUntil > now) return nothing;
    const lease = { owner: randomUUID(), from: now, until: new Date(now.getTime() + leaseMs) };
    const { leased, hasMore } = await this.queue.lease(endpointId, lease, limit, budget);
    return { leased: leased.map((one) => ({ ...one, endpoint })), hasMore };
  }
}
