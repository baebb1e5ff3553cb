import { Inject, Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { minuteMs } from '../../core/values/durations.js';
import { WebhookDeliveriesRepository } from '../deliveries/webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { AttemptFigureCounts, quarterOf } from './attempt-figures.js';
import { WebhookFiguresRepository } from './webhook-figures.repository.js';

/** How often what was counted is stored. */
const storeIntervalMs = 10_000;
/** How often one process of all looks how much waits. */
const backlogIntervalMs = minuteMs;
/** How long that process may be silent. */
const leaseMs = 4 * backlogIntervalMs;

/** Of so many endpoints it is noted how much waits, and no more of each is counted. */
const mostEndpoints = 200;
const mostWaiting = 10_000;

/**
 * Counts attempts by endpoint for the console and adds them to what other processes have counted, every
 * ten seconds (rule OPS-35). What a process that is killed has counted since is lost, and so is what cannot
 * be stored: it may have been added already.
 */
@Injectable()
export class WebhookFiguresRecorder {
  private readonly counts = new AttemptFigureCounts();
  private readonly lease: Lease;
  private readonly storing = new PollingLoop(
    'Figures of webhooks could not be stored',
    () => this.store(),
    () => storeIntervalMs,
  );
  private readonly looking = new PollingLoop(
    'Backlogs of webhooks could not be noted',
    async () => {
      if (await this.lease.isMine()) await this.noteBacklogs();
    },
    () => backlogIntervalMs,
  );
  private attemptsNotStored = 0;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly figures: WebhookFiguresRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
    leases: Leases,
  ) {
    this.lease = leases.of('webhook-backlogs', leaseMs);
  }

  /** Figures of endpoints and quarters that wait to be stored, and attempts that no figure has. */
  stats(): { readonly waiting: number; readonly lostAttempts: number } {
    const lostAttempts = this.attemptsNotStored + this.counts.refused;
    return { waiting: this.counts.size, lostAttempts };
  }

  /** Counts an attempt; does nothing without OPS_PASSWORD. */
  count(
    endpoint: Readonly<Record<'organizationId' | '_id', Types.ObjectId>>,
    attempt: { readonly isDelivered: boolean; readonly milliseconds: number },
  ): void {
    if (this.isNeeded()) this.counts.add(endpoint, attempt, this.clock.now());
  }

  /** From now on it stores what was counted; does nothing without OPS_PASSWORD. */
  start(): void {
    if (!this.isNeeded()) return;
    this.storing.start();
    this.looking.start();
  }

  /** Stores the rest. */
  async stop(): Promise<void> {
    await Promise.all([this.storing.stop(), this.looking.stop()]);
    // A database that is gone takes neither.
    await this.store().catch(() => undefined);
    await this.lease.release().catch(() => undefined);
  }

  /** Stores what was counted since the last time. */
  async store(): Promise<void> {
    const taken = this.counts.take();
    if (taken.length === 0) return;
    try {
      await this.figures.add(taken, this.clock.now());
    } catch (error) {
      for (const { figures } of taken) this.attemptsNotStored += figures.delivered + figures.failed;
      throw error;
    }
  }

  /** Notes how much waits for each endpoint. */
  async noteBacklogs(): Promise<void> {
    const now = this.clock.now();
    const ids = (await this.deliveries.endpointsWaiting()).slice(0, mostEndpoints);
    const endpoints = await this.endpoints.findOrganizationsOf(ids);
    const backlogs = [];
    for (const { _id: endpointId, organizationId } of endpoints) {
      const backlog = await this.deliveries.countWaiting(endpointId, mostWaiting);
      backlogs.push({ key: { organizationId, endpointId, at: quarterOf(now) }, backlog });
    }
    await this.figures.noteBacklogs(backlogs, now);
  }

  private isNeeded(): boolean {
    return this.environment.OPS_PASSWORD !== undefined;
  }
}
