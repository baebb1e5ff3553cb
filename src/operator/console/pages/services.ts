import type { FactoryProvider } from '@nestjs/common';
import { Clock } from '../../../core/configuration/clock.js';
import { DatabaseConnection } from '../../../core/database/connection/database-connection.js';
import { EventHistoryService } from '../../../events/outbox/event-history.service.js';
import { LeadLookupService } from '../../../leads/lead-lookup.service.js';
import { ReservationLookupService } from '../../../reservations/reading/reservation-lookup.service.js';
import { ChangeLogRepository } from '../../../tenants/change-log/change-log.repository.js';
import { ApiKeysService } from '../../../tenants/keys/api-keys.service.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import { UnitLookupService } from '../../../units/reading/unit-lookup.service.js';
import { WebhookDeliveriesService } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookStatisticsService } from '../../../webhooks/statistics/webhook-statistics.service.js';
import { OperatorLogService } from '../../audit/operator-log.service.js';
import { CatalogueOverviewService } from '../../catalogue-import/catalogue-overview.service.js';
import { RequestLogService } from '../../requests/request-log.service.js';
import { PartnersService } from '../../usage/partners.service.js';
import { UsageStatsService } from '../../usage/usage-stats.service.js';

/** Everything that pages read and do: services of features, no queries. */
const classes = {
  catalogues: CatalogueOverviewService,
  changeLog: ChangeLogRepository,
  clock: Clock,
  database: DatabaseConnection,
  deliveries: WebhookDeliveriesService,
  endpoints: WebhookEndpointsService,
  events: EventHistoryService,
  keys: ApiKeysService,
  leads: LeadLookupService,
  operatorLog: OperatorLogService,
  organizations: OrganizationsRepository,
  partners: PartnersService,
  requestLog: RequestLogService,
  reservations: ReservationLookupService,
  units: UnitLookupService,
  usage: UsageStatsService,
  webhookStatistics: WebhookStatisticsService,
};

export type PageServices = {
  readonly [Name in keyof typeof classes]: InstanceType<(typeof classes)[Name]>;
};

export const PAGE_SERVICES = Symbol('PageServices');

export const pageServices: FactoryProvider = {
  provide: PAGE_SERVICES,
  inject: Object.values(classes),
  useFactory: (...made: unknown[]) =>
    Object.fromEntries(Object.keys(classes).map((name, index) => [name, made[index]])),
};
