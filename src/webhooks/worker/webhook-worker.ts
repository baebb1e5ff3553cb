import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { DeliveryTries, type LeasedDelivery } from './delivery-tries.js';
import { Pace } from './pace.js';
import { Slots } from './slots.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';

/** How long a delivery belongs to the worker that took it ("Outbound webhooks" 4). */
const lease = 60_000;
/** How many endpoints' paces are remembered; one that is forgotten starts slowly again. */
const rememberedPaces = 10_000;
/** How long tries that are running at a shutdown may go on. */
const farewell = 5_000;

/**
 * Delivers what is due. Each endpoint has a pump of its own, and no endpoint can have more than a
 * quarter of the process's places, nor those that fail more than half of them together, so that a
 * slow or dead one delays no other.
 */
@Injectable()
export class WebhookWorker {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly paces = new LRUCache<string, Pace>({ max: rememberedPaces });
  private readonly pumps = new Map<string, { readonly pace: Pace; readonly end: Promise<void> }>();
  private readonly places: Slots;
  /** Places that endpoints which fail have to get besides. */
  private readonly doubtful: Slots;
  private readonly widest: number;
  private readonly interruption = new AbortController();
  private isStopping = false;

  constructor(
    @Inject(ENVIRONMENT) { WEBHOOKS_CONCURRENCY: concurrency }: Environment,
    private readonly queue: DeliveryQueueRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly tries: DeliveryTries,
    private readonly clock: Clock,
  ) {
    this.places = new Slots(concurrency);
    this.doubtful = new Slots(Math.max(1, Math.floor(concurrency / 2)));
    this.widest = Math.max(1, Math.floor(concurrency / 4));
  }

  /**
   * Sees to it that everything is being delivered that is due now.
   *
   * @returns when the next delivery is due that is not due yet, null when nothing waits
   */
  async pass(): Promise<Date | null> {
    const waiting = await this.queue.dueEndpoints();
    const now = this.clock.now();
    for (const { _id, dueAt } of waiting) if (dueAt <= now) this.pump(_id);
    const later = waiting.map(({ dueAt }) => dueAt.getTime()).filter((due) => due > now.getTime());
    return later.length === 0 ? null : new Date(Math.min(...later));
  }

  /** Takes nothing new, lets what is running finish for a moment, and gives the rest back. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const timer = setTimeout(() => this.interruption.abort(), farewell);
    for (const { pace } of this.pumps.values()) pace.changed();
    await Promise.all([...this.pumps.values()].map(({ end }) => end));
    clearTimeout(timer);
  }

  private pump(endpointId: Types.ObjectId): void {
    if (this.isStopping) return;
    const key = endpointId.toHexString();
    const running = this.pumps.get(key);
    if (running !== undefined) {
      running.pace.moreIsDue();
      return;
    }
    const pace = this.paces.get(key) ?? new Pace(this.widest);
    this.paces.set(key, pace);
    pace.moreIsDue();
    const end = this.runPump(endpointId, pace)
      .catch((error: unknown) => {
        this.logger.warn({ err: error }, 'Deliveries could not be taken from the queue');
      })
      .then(() => pace.idle())
      .finally(() => this.pumps.delete(key));
    this.pumps.set(key, { pace, end });
  }

  /** Ends when nothing is due any more, or the endpoint takes nothing now. */
  private async runPump(endpointId: Types.ObjectId, pace: Pace): Promise<void> {
    while (!this.isStopping && pace.isBusy) {
      if (pace.room > 0 && pace.isMoreDue) {
        const endpoint = await this.endpoints.findById(endpointId);
        if (endpoint === null || endpoint.isEnabled !== true) {
          const reason = endpoint === null ? 'endpoint removed' : 'endpoint disabled';
          await this.queue.failWaiting(endpointId, reason, this.clock.now());
          return;
        }
        if (endpoint.pausedUntil && endpoint.pausedUntil > this.clock.now()) return;
        await this.deliverSome(endpoint, pace);
      } else {
        await pace.change();
      }
    }
  }

  private async deliverSome(endpoint: WebhookEndpointDocument, pace: Pace): Promise<void> {
    const isDoubtful = pace.isFailing;
    const wanted = isDoubtful ? 1 : Math.max(1, pace.room);
    if (isDoubtful) await this.doubtful.take(1);
    const places = await this.places.take(wanted);
    const giveBack = (count: number) => {
      this.places.giveBack(count);
      if (isDoubtful) this.doubtful.giveBack(count);
    };
    try {
      const leased = this.isStopping ? [] : await this.leaseSome(endpoint, pace, places);
      giveBack(places - leased.length);
      for (const delivery of leased) {
        void this.deliver({ delivery, endpoint }, pace).finally(() => giveBack(1));
      }
    } catch (error) {
      giveBack(places);
      throw error;
    }
  }

  private async leaseSome({ _id }: WebhookEndpointDocument, pace: Pace, limit: number) {
    const from = this.clock.now();
    const until = new Date(from.getTime() + lease);
    pace.lookingForMore();
    const { leased, hasMore } = await this.queue.lease(
      _id,
      { owner: randomUUID(), from, until },
      limit,
    );
    if (hasMore) pace.moreIsDue();
    return leased;
  }

  /** Never rejects: what could not be recorded becomes due again when its lease ends. */
  private async deliver(leased: LeasedDelivery, pace: Pace): Promise<void> {
    pace.begin();
    let isTaken = false;
    try {
      isTaken = await this.tries.run(leased, this.interruption.signal);
    } catch (error) {
      this.logger.warn({ err: error }, 'What came of a delivery could not be recorded');
    }
    pace.end(isTaken);
  }
}
