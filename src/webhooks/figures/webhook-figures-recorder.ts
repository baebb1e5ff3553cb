import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { DutiesRepository } from '../../database/duties/duties.repository.js';
import { Duty } from '../../database/duties/duty.js';
import { WebhookDeliveriesRepository } from '../deliveries/webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { AttemptFigureCounts, quarterOf } from './attempt-figures.js';
import { WebhookFiguresRepository } from './webhook-figures.repository.js';

const storeEveryMs = 10_000;
/** How often one process of all looks how much waits. */
const lookEvery = 6;
const dutyLeaseMs = 4 * lookEvery * storeEveryMs;

/** Of so many endpoints it is noted how much waits, and no more of each is counted. */
const mostEndpoints = 200;
const mostWaiting = 10_000;

/**
 * Counts attempts by endpoint for the console and adds them to what other processes have counted, every
 * ten seconds; what a process that is killed has counted since is lost, and so is what cannot be stored.
 */
@Injectable()
export class WebhookFiguresRecorder {
  private readonly logger = new Logger(WebhookFiguresRecorder.name);
  private readonly counts = new AttemptFigureCounts();
  private readonly duty: Duty;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private rounds = 0;

  constructor(
    private readonly figures: WebhookFiguresRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
    duties: DutiesRepository,
  ) {
    this.duty = new Duty(duties, clock, 'webhook-backlogs', dutyLeaseMs);
  }

  /** How many endpoints were counted that are not stored yet. */
  stats(): { readonly unstored: number } {
    return { unstored: this.counts.size };
  }

  /** Counts an attempt. */
  count(
    endpoint: Readonly<Record<'organizationId' | '_id', Types.ObjectId>>,
    attempt: { readonly isDelivered: boolean; readonly milliseconds: number },
  ): void {
    this.counts.add(endpoint, attempt, this.clock.now());
  }

  /** From now on it stores what was counted. */
  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.round());
    }, storeEveryMs);
    this.timer.unref();
  }

  /** Stores the rest. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    await this.safely(() => this.store());
    await this.safely(() => this.duty.release());
  }

  /** Stores what was counted since the last time. */
  async store(): Promise<void> {
    const taken = this.counts.take();
    if (taken.length > 0) await this.figures.add(taken, this.clock.now());
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

  private async round(): Promise<void> {
    await this.safely(() => this.store());
    this.rounds += 1;
    if (this.rounds % lookEvery !== 1) return;
    await this.safely(async () => {
      if (await this.duty.isMine()) await this.noteBacklogs();
    });
  }

  private async safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.debug({ err: error }, 'Figures of webhooks could not be stored');
    }
  }
}
