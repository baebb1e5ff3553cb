import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../../core/configuration/environment.js';
import {
  ConnectionPool,
  type PoolUse,
} from '../../../../core/database/connection/connection-pool.js';
import { DatabasePing } from '../../../../core/database/connection/database-ping.js';
import { withinDeadline } from '../../../../core/database/connection/deadline.js';
import {
  type Backlog,
  WebhookStatisticsService,
} from '../../../../webhooks/statistics/webhook-statistics.service.js';

/** The longest that the overview waits for a part of it. */
const longestWaitMs = 2_000;
/** How the database and the work in it are; null where the database does not say in time. */
export interface SystemState {
  readonly hasPrimary: boolean;
  readonly connections: PoolUse;
  readonly deliveries: Backlog | null;
  readonly events: Backlog | null;
}

/** The state of the database and of the work that waits in it, whatever state that is. */
@Injectable()
export class SystemStateService {
  private readonly waitMs: number;

  constructor(
    private readonly database: DatabasePing,
    private readonly pool: ConnectionPool,
    private readonly webhooks: WebhookStatisticsService,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS }: Environment,
  ) {
    this.waitMs = Math.min(longestWaitMs, DATABASE_DEADLINE_MS / 2);
  }

  async read(): Promise<SystemState> {
    const [hasPrimary, deliveries, events] = await Promise.all([
      this.database.hasPrimary(this.waitMs),
      this.orNull(this.webhooks.deliveryBacklog()),
      this.orNull(this.webhooks.eventBacklog()),
    ]);
    return { hasPrimary, connections: this.pool.use(), deliveries, events };
  }

  /** The result of a reading; null where the database does not give it in time. */
  async orNull<T>(reading: Promise<T>): Promise<T | null> {
    return withinDeadline(reading, this.waitMs).catch(() => null);
  }
}
