import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { DeliveryGiveUps } from '../deliveries/delivery-give-ups.js';
import { byPace, type Pace, paces } from '../deliveries/delivery-outcome.js';
import { DeliveryQueueRepository, freeBytes } from '../deliveries/delivery-queue.repository.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { minuteMs } from '../../core/values/durations.js';
import { Batcher } from './batcher.js';
import { ByteBudget, budgetBytes } from './byte-budget.js';
import { DeliveryAttemptRunner, resultNotStored } from './delivery-attempt-runner.js';
import { DueEndpoints } from './due-endpoints.js';
import {
  type EndpointDeliveries,
  hasWork,
  isReady,
  type PaidDelivery,
} from './endpoint-deliveries.js';
import { LeasesAhead } from './leases-ahead.js';
import { hasPlace, leavesPlace, nextLimit, type Place, type Places, placesOf } from './places.js';

/** How long a delivery belongs to the worker that leased it (rule HOOK-9). */
const leaseMs = minuteMs;
/** How long attempts that are running at a shutdown may continue (rule HOOK-9). */
const shutdownGraceMs = 5_000;

/**
 * Delivers what is due. Endpoints of one pace share the places and the bytes for it, and those that
 * wait for a place take turns, so that slow and dead ones delay no other (rule HOOK-8).
 *
 * A delivery is leased when it has a place, so that no lease runs out while it waits for one; a quick
 * endpoint has some leased ahead, which are given back as soon as it is quick no longer.
 */
@Injectable()
export class WebhookWorker {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly due: DueEndpoints;
  private readonly deliveries = new Map<string, EndpointDeliveries>();
  /** Endpoints that wait for a place, in the order of their turns. */
  private readonly waiting = byPace(() => new Set<EndpointDeliveries>());
  /** When to look again at endpoints that were paused, or had too few bytes left. */
  private readonly postponed = new Map<EndpointDeliveries, Date>();
  private readonly load: Record<Place, number> = { ...byPace(() => 0), left: 0 };
  /** How long an attempt may take. */
  private readonly timeout: number;
  private readonly places: Places;
  private readonly ahead: LeasesAhead;
  private readonly running = new Set<Promise<void>>();
  private readonly budgets = byPace(
    (pace) => new ByteBudget(budgetBytes[pace], budgetBytes[pace] / 2),
  );
  private readonly shutdown = new AbortController();
  private isStopping = false;

  constructor(
    @Inject(ENVIRONMENT)
    { WEBHOOKS_CONCURRENCY: concurrency, WEBHOOKS_TIMEOUT_MS: timeout }: Environment,
    private readonly queue: DeliveryQueueRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly attemptRunner: DeliveryAttemptRunner,
    private readonly giveUps: DeliveryGiveUps,
    private readonly clock: Clock,
  ) {
    this.timeout = timeout;
    this.places = placesOf(concurrency);
    this.ahead = new LeasesAhead(this.places, concurrency);
    this.due = new DueEndpoints(queue);
  }

  /** Starts the deliveries that are due now, as far as the limits allow; the others follow. */
  async deliverDue(): Promise<void> {
    const now = this.clock.now();
    await this.deliverTo(await this.due.find(now));
    for (const [endpoint, until] of this.postponed) {
      if (until > now) continue;
      this.postponed.delete(endpoint);
      this.startDeliveries(endpoint);
    }
  }

  /** Starts the deliveries to endpoints that have something due, as far as the limits allow. */
  async deliverTo(endpointIds: readonly Types.ObjectId[]): Promise<void> {
    try {
      await this.addUnknown(endpointIds);
    } catch (error) {
      this.due.lookAgain();
      throw error;
    }
    for (const id of endpointIds) this.startDeliveries(this.deliveries.get(id.toHexString()));
  }

  /** Whether nothing is being delivered, or put off. */
  isIdle(): boolean {
    return this.running.size === 0 && this.postponed.size === 0;
  }

  /** Leases nothing new, lets what is running finish for a moment, and releases the rest. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const endpoint of this.deliveries.values()) this.giveBack(endpoint);
    const timer = setTimeout(() => this.shutdown.abort(), shutdownGraceMs);
    while (this.running.size > 0) await Promise.all(this.running);
    clearTimeout(timer);
    await this.attemptRunner.stored();
  }

  /** What an endpoint was like before this process knew it is stored with it. */
  private async addUnknown(ids: readonly Types.ObjectId[]): Promise<void> {
    const unknown = ids.filter((id) => !this.deliveries.has(id.toHexString()));
    if (unknown.length === 0) return;
    const known = await this.endpoints.findPaces(unknown);
    // Relay and polling may look for the same one at the same time: it keeps its first limit and places.
    for (const id of unknown) {
      const name = id.toHexString();
      if (!this.deliveries.has(name)) this.add(id, known.get(name) ?? 'unproven');
    }
  }

  private add(id: Types.ObjectId, pace: Pace): void {
    const endpoint: EndpointDeliveries = {
      leases: new Batcher((places) => this.leaseSafely(id, endpoint, places.length)),
      ahead: [],
      readyAt: new Date(0),
      budgets: byPace((of) => this.budgets[of].forEndpoint()),
      pace,
      limit: 1,
      active: 0,
      mayHaveDue: false,
    };
    this.deliveries.set(id.toHexString(), endpoint);
  }

  /** Something may be due at an endpoint. */
  private startDeliveries(endpoint: EndpointDeliveries | undefined): void {
    if (endpoint === undefined) return;
    endpoint.mayHaveDue = true;
    this.wait(endpoint);
    this.fillPlaces();
  }

  /** Has an endpoint wait for its next turn, if it may have one. */
  private wait(endpoint: EndpointDeliveries): void {
    if (this.isStopping || !hasWork(endpoint) || endpoint.active >= endpoint.limit) return;
    this.waiting[endpoint.pace].add(endpoint);
  }

  private fillPlaces(): void {
    for (const pace of paces) {
      // An endpoint that waits again is at the end of the set, and comes up once more.
      for (const endpoint of this.waiting[pace]) {
        if (!hasPlace(pace, this.load, this.places)) break;
        this.waiting[pace].delete(endpoint);
        if (this.isStopping || !hasWork(endpoint)) continue;
        this.keepRunning(this.deliverInPlace(endpoint));
        this.wait(endpoint);
      }
    }
  }

  private async deliverInPlace(endpoint: EndpointDeliveries): Promise<void> {
    let place: Place = endpoint.pace;
    endpoint.active += 1;
    this.load[place] += 1;
    await this.deliverNext(endpoint, () => {
      this.giveBack(endpoint);
      if (!leavesPlace(place, this.load, this.places)) return;
      this.load[place] -= 1;
      place = 'left';
      this.load.left += 1;
      this.fillPlaces();
    });
    this.load[place] -= 1;
    endpoint.active -= 1;
    this.wait(endpoint);
    this.fillPlaces();
  }

  private changePace(endpoint: EndpointDeliveries, pace: Pace): void {
    const isWaiting = this.waiting[endpoint.pace].delete(endpoint);
    endpoint.pace = pace;
    if (isWaiting) this.waiting[pace].add(endpoint);
  }

  /**
   * Never rejects: what could not be stored becomes due again when its lease ends.
   *
   * @param leavePlace called while the attempt is running, when others should not wait for it
   */
  private async deliverNext(endpoint: EndpointDeliveries, leavePlace: () => void): Promise<void> {
    const ahead = isReady(endpoint, this.clock.now()) ? this.ahead.take(endpoint) : undefined;
    const leased = ahead ?? (await endpoint.leases.add());
    if (leased === undefined) return;
    let isDelivered = false;
    try {
      const attempt = await this.attemptRunner.run(leased, this.shutdown.signal, leavePlace);
      ({ isDelivered } = attempt);
      this.changePace(endpoint, attempt.pace);
    } catch (error) {
      this.logger.warn({ err: error }, resultNotStored);
    }
    if (!isDelivered || endpoint.pace !== 'quick') this.giveBack(endpoint);
    releaseBytes([leased]);
    // What there were no bytes for may go now.
    if (leased.bytes > freeBytes) endpoint.mayHaveDue = true;
    endpoint.limit = nextLimit(endpoint.limit, endpoint.pace, isDelivered, this.places);
  }

  private async leaseSafely(
    endpointId: Types.ObjectId,
    deliveries: EndpointDeliveries,
    limit: number,
  ): Promise<readonly PaidDelivery[]> {
    // The lease before may have brought enough.
    if (deliveries.ahead.length >= limit && isReady(deliveries, this.clock.now())) {
      return this.ahead.takeMany(deliveries, limit);
    }
    // What becomes due from now on may not be in this lease.
    deliveries.mayHaveDue = false;
    if (this.isStopping) return [];
    try {
      const wanted = limit + this.ahead.roomFor(deliveries);
      const leased = await this.lease(endpointId, deliveries, wanted);
      this.keepAhead(deliveries, leased.slice(limit));
      return leased.slice(0, limit);
    } catch (error) {
      this.due.lookAgain();
      this.logger.warn({ err: error }, 'Deliveries could not be leased');
      return [];
    }
  }

  private keepAhead(endpoint: EndpointDeliveries, leased: readonly PaidDelivery[]): void {
    this.ahead.add(endpoint, leased);
    // It may have become slow while they were leased.
    if (this.isStopping || endpoint.pace !== 'quick') this.giveBack(endpoint);
  }

  /** Ends the leases of what an endpoint has leased ahead, so that it is due again. */
  private giveBack(endpoint: EndpointDeliveries): void {
    const given = this.ahead.takeAll(endpoint);
    if (given.length === 0) return;
    releaseBytes(given);
    this.keepRunning(this.endLeases(endpoint, given));
  }

  private async endLeases(
    endpoint: EndpointDeliveries,
    given: readonly PaidDelivery[],
  ): Promise<void> {
    try {
      await this.attemptRunner.release(given.map(({ delivery }) => delivery));
    } catch (error) {
      // They become due when their leases end.
      this.logger.warn({ err: error }, 'Deliveries could not be given back');
    }
    endpoint.mayHaveDue = true;
    this.wait(endpoint);
    this.fillPlaces();
  }

  /** Also what it was put off for: who is added anew has limits of its own. */
  private forget(id: string, endpoint: EndpointDeliveries): void {
    this.postponed.delete(endpoint);
    if (this.deliveries.get(id) === endpoint) this.deliveries.delete(id);
  }

  private keepRunning(work: Promise<void>): void {
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  private async lease(
    endpointId: Types.ObjectId,
    deliveries: EndpointDeliveries,
    limit: number,
  ): Promise<readonly PaidDelivery[]> {
    const now = this.clock.now();
    const endpoint = await this.endpoints.findById(endpointId);
    if (endpoint?.isEnabled !== true) {
      this.giveBack(deliveries);
      if (await this.giveUps.giveUpBatch(endpointId, endpoint)) deliveries.mayHaveDue = true;
      else this.forget(endpointId.toHexString(), deliveries);
      return [];
    }
    if (endpoint.pausedUntil && endpoint.pausedUntil > now) {
      this.giveBack(deliveries);
      this.postponed.set(deliveries, endpoint.pausedUntil);
      deliveries.limit = 1;
      return [];
    }
    // After an outage of the database others may have them already, or they are found once more now.
    const latestEnd = new Date(now.getTime() + this.timeout);
    releaseBytes(this.ahead.takeEnding(deliveries, latestEnd));
    deliveries.readyAt = now;
    if (deliveries.ahead.length >= limit) {
      deliveries.mayHaveDue = true;
      return this.ahead.takeMany(deliveries, limit);
    }
    const lease = { owner: randomUUID(), from: now, until: new Date(now.getTime() + leaseMs) };
    const budget = deliveries.budgets[deliveries.pace];
    const { leased, hasMore, isCut } = await this.queue.lease(endpointId, lease, limit, budget);
    if (hasMore) deliveries.mayHaveDue = true;
    if (isCut) this.postponed.set(deliveries, now);
    return leased.map((one) => ({ ...one, endpoint, budget }));
  }
}

function releaseBytes(deliveries: readonly PaidDelivery[]): void {
  for (const { budget, bytes } of deliveries) budget.release(bytes);
}
