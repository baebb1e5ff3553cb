import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { EventNumbering } from '../../events/outbox/event-numbering.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import type { EndpointAttempts } from '../sending/attempt-counts.js';
import { DeliveryAttemptRunner } from '../sending/delivery-attempt-runner.js';

/** At most so many are counted: beyond that the number says no more than that it is large. */
const countLimit = 10_000;

/** What waits, of all organizations. */
export interface Backlog {
  /** How long the one that is due longest waits, in milliseconds; 0 when nothing waits. */
  readonly lagMs: number;
  /** How many wait, up to 10,000. */
  readonly count: number;
}

/** Figures about webhooks for those who operate the service. */
@Injectable()
export class WebhookStatisticsService {
  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly attempts: DeliveryAttemptRunner,
    private readonly numbering: EventNumbering,
    private readonly clock: Clock,
  ) {}

  /** The events that have no number yet, and maybe no deliveries. */
  async eventBacklog(): Promise<Backlog> {
    const { oldest, count } = await this.events.waiting(countLimit);
    return this.backlog(oldest, count);
  }

  /** The deliveries that are due and not being attempted. */
  async deliveryBacklog(): Promise<Backlog> {
    const { oldest, count } = await this.queue.due(this.clock.now(), countLimit);
    return this.backlog(oldest, count);
  }

  /** The attempts of this process, by endpoint. */
  attemptsByEndpoint(): readonly EndpointAttempts[] {
    return this.attempts.stats().byEndpoint;
  }

  /** Attempts of this process whose results are not stored yet. */
  unstoredResults(): number {
    return this.attempts.stats().unstored;
  }

  /** How many events this process has numbered. */
  numberedEvents(): number {
    return this.numbering.stats().numbered;
  }

  private backlog(oldest: Date | null, count: number): Backlog {
    const lagMs = oldest === null ? 0 : this.clock.now().getTime() - oldest.getTime();
    return { lagMs: Math.max(0, lagMs), count };
  }
}
