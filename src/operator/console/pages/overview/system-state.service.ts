import { Inject, Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../../../core/configuration/environment.js';
import {
  ConnectionPool,
  type PoolUse,
} from '../../../../core/database/connection/connection-pool.js';
import { DatabasePing } from '../../../../core/database/connection/database-ping.js';
import { withinDeadline } from '../../../../core/database/connection/deadline.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import {
  type ListedDelivery,
  WebhookDeliveriesService,
} from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import {
  type ShownEndpoint,
  WebhookEndpointsService,
} from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import {
  type Backlog,
  WebhookStatisticsService,
} from '../../../../webhooks/statistics/webhook-statistics.service.js';

/** The longest that the overview waits for a part of it. */
const longestWaitMs = 2_000;
/** Further failing endpoints are not looked at. */
const mostEndpoints = 50;

/** How the database and the work in it are; null where the database does not say in time. */
export interface SystemState {
  readonly hasPrimary: boolean;
  readonly connections: PoolUse;
  readonly deliveries: Backlog | null;
  readonly events: Backlog | null;
}

/** An endpoint whose events do not arrive. */
export interface FailingEndpoint {
  readonly endpoint: ShownEndpoint;
  readonly latest: ListedDelivery | null;
  /** Since it fails. */
  readonly failedAttempts: number;
}

/** The state of the database and of the work that waits in it, whatever state that is. */
@Injectable()
export class SystemStateService {
  private readonly waitMs: number;

  constructor(
    private readonly database: DatabasePing,
    private readonly pool: ConnectionPool,
    private readonly organizations: OrganizationDirectoryService,
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveriesService,
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

  async failingEndpoints(): Promise<FailingEndpoint[]> {
    const endpoints = await this.endpoints.listFailing(mostEndpoints);
    return Promise.all(
      endpoints.map(async (endpoint) => {
        const { _id, organizationId, failingSince } = endpoint;
        const [latest, failedAttempts] = await Promise.all([
          this.deliveries.latestFailure(
            new Types.ObjectId(organizationId),
            new Types.ObjectId(_id),
          ),
          failingSince === null ? 0 : this.webhooks.failedSince(organizationId, _id, failingSince),
        ]);
        return { endpoint, latest, failedAttempts };
      }),
    );
  }

  async hasOrganizations(): Promise<boolean> {
    return (await this.organizations.list()).length > 0;
  }
}
