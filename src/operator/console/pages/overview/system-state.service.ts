import { Injectable } from '@nestjs/common';
import { ConnectionPool } from '../../../../core/database/connection/connection-pool.js';
import { DatabasePing } from '../../../../core/database/connection/database-ping.js';
import { withinDeadline } from '../../../../core/database/connection/deadline.js';
import {
  type Backlog,
  WebhookStatisticsService,
} from '../../../../webhooks/statistics/webhook-statistics.service.js';

/** How long the page waits for what the database says of itself. */
const waitMs = 1_000;

/** How the database and what depends on it are; null where the database does not say in time. */
export interface SystemState {
  readonly hasPrimary: boolean;
  readonly connections: { readonly open: number; readonly inUse: number };
  readonly deliveries: Backlog | null;
  readonly events: Backlog | null;
}

/** What the overview says of the database and what waits. */
@Injectable()
export class SystemStateService {
  constructor(
    private readonly database: DatabasePing,
    private readonly pool: ConnectionPool,
    private readonly webhooks: WebhookStatisticsService,
  ) {}

  /** Within about a second, in whatever state the database is. */
  async read(): Promise<SystemState> {
    const [hasPrimary, deliveries, events] = await Promise.all([
      this.database.hasPrimary(waitMs),
      orNull(this.webhooks.deliveryBacklog()),
      orNull(this.webhooks.eventBacklog()),
    ]);
    return { hasPrimary, connections: this.pool.use(), deliveries, events };
  }
}

function orNull<T>(reading: Promise<T>): Promise<T | null> {
  return withinDeadline(reading, waitMs).catch(() => null);
}
