import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { DatabaseConnection } from '../../core/database/connection/database-connection.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { LeadLookupService } from '../../leads/reading/lead-lookup.service.js';
import { ReservationLookupService } from '../../reservations/reading/reservation-lookup.service.js';
import { ChangeLogRepository } from '../../tenants/change-log/change-log.repository.js';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { UnitLookupService } from '../../units/reading/unit-lookup.service.js';
import { WebhookDeliveriesService } from '../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookStatsService } from '../../webhooks/statistics/webhook-stats.service.js';
import { OperatorLogService } from '../operator-log/operator-log.service.js';
import { RequestLogService } from '../request-log/request-log.service.js';
import { PartnersService } from '../usage/partners.service.js';
import { UsageService } from '../usage/usage.service.js';

/** Pages use these services of features and make no queries. */
@Injectable()
export class PageServices {
  @Inject(ENVIRONMENT) readonly environment!: Environment;
  @Inject() readonly changeLog!: ChangeLogRepository;
  @Inject() readonly clock!: Clock;
  @Inject() readonly database!: DatabaseConnection;
  @Inject() readonly deliveries!: WebhookDeliveriesService;
  @Inject() readonly endpoints!: WebhookEndpointsService;
  @Inject() readonly events!: OutboxEventsRepository;
  @Inject() readonly keys!: ApiKeysService;
  @Inject() readonly leads!: LeadLookupService;
  @Inject() readonly operatorLog!: OperatorLogService;
  @Inject() readonly organizations!: OrganizationsRepository;
  @Inject() readonly partners!: PartnersService;
  @Inject() readonly requestLog!: RequestLogService;
  @Inject() readonly reservations!: ReservationLookupService;
  @Inject() readonly units!: UnitLookupService;
  @Inject() readonly usage!: UsageService;
  @Inject() readonly webhookStatistics!: WebhookStatsService;
}
