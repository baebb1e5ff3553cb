import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { EventsModule } from '../events/events.module.js';
import { DeliveryGiveUps } from './deliveries/delivery-give-ups.js';
import { DeliveryQueueRepository } from './deliveries/delivery-queue.repository.js';

import { webhookAttemptSchema } from './deliveries/webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from './deliveries/webhook-attempts.repository.js';
import { WebhookDeliveriesRepository } from './deliveries/webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import { webhookDeliverySchema } from './deliveries/webhook-delivery.schema.js';
import { developmentKeySchema } from './endpoints/development-key.schema.js';
import { DevelopmentKeysRepository } from './endpoints/development-keys.repository.js';
import { EncryptionKeys } from './endpoints/encryption-keys.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.js';
import { SecretKeys } from './endpoints/secret-keys.js';
import { webhookEndpointSchema } from './endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from './endpoints/webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { WebhookErasuresService } from './deliveries/webhook-erasures.service.js';
import { webhookFigureSchema } from './statistics/webhook-figure.schema.js';
import { WebhookFiguresRecorder } from './statistics/webhook-figures-recorder.js';
import { WebhookFiguresRepository } from './statistics/webhook-figures.repository.js';
import { WebhookFiguresService } from './statistics/webhook-figures.service.js';
import { WebhookRelay } from './sending/webhook-relay.js';
import { NameResolver } from './sending/name-resolver.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { WebhookStatisticsService } from './statistics/webhook-statistics.service.js';
import { DeliveryAttemptRunner } from './sending/delivery-attempt-runner.js';
import { WebhookBackground } from './sending/webhook-background.js';
import { WebhookWorker } from './sending/webhook-worker.js';

/**
 * Outbound webhooks: the relay that creates the deliveries of events, the worker that sends them, and the
 * services of the command line.
 */
@Module({
  imports: [
    EventsModule,
    TenantCollectionsModule.forFeature(
      { name: 'WebhookEndpoint', schema: webhookEndpointSchema },
      { name: 'WebhookDelivery', schema: webhookDeliverySchema },
      { name: 'WebhookAttempt', schema: webhookAttemptSchema },
      { name: 'WebhookFigure', schema: webhookFigureSchema },
    ),
    MongooseModule.forFeature([{ name: 'DevelopmentKey', schema: developmentKeySchema }]),
  ],
  providers: [
    WebhookRelay,
    WebhookEndpointsRepository,
    WebhookEndpointsService,
    DevelopmentKeysRepository,
    EncryptionKeys,
    EndpointSecrets,
    SecretKeys,
    WebhookDeliveriesRepository,
    WebhookDeliveriesService,
    DeliveryQueueRepository,
    DeliveryGiveUps,
    WebhookAttemptsRepository,
    DeliveryAttemptRunner,
    NameResolver,
    WebhookSender,
    WebhookWorker,
    WebhookBackground,
    WebhookStatisticsService,
    WebhookErasuresService,
    WebhookFiguresRepository,
    WebhookFiguresRecorder,
    WebhookFiguresService,
  ],
  exports: [
    WebhookFiguresService,
    SecretKeys,
    WebhookEndpointsService,
    WebhookDeliveriesService,
    WebhookBackground,
    WebhookStatisticsService,
    WebhookErasuresService,
  ],
})
export class WebhooksModule {}
