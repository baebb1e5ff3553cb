import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
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
import { WebhookErasuresService } from './erasure/webhook-erasures.service.js';
import { webhookFigureSchema } from './figures/webhook-figure.schema.js';
import { WebhookFiguresRecorder } from './figures/webhook-figures-recorder.js';
import { WebhookFiguresRepository } from './figures/webhook-figures.repository.js';
import { WebhookFiguresService } from './figures/webhook-figures.service.js';
import { OutboxChangeStream } from './outbox/outbox-change-stream.js';
import { EventFeedChanges } from './outbox/event-feed-changes.js';
import { EventFeedService } from './outbox/event-feed.service.js';
import { eventFeedSchema } from './outbox/event-feed.schema.js';
import { EventFeedsRepository } from './outbox/event-feeds.repository.js';
import { EventNumbering } from './outbox/event-numbering.js';
import { outboxEventSchema } from './outbox/outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox/outbox-events.repository.js';
import { OutboxEventsService } from './outbox/outbox-events.service.js';
import { Outbox } from './outbox/outbox.js';
import { WebhookRelay } from './outbox/webhook-relay.js';
import { ReplacedWebhookIndexes } from './replaced-indexes.js';
import { NameResolver } from './sending/name-resolver.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { WebhookStatisticsService } from './webhook-statistics.service.js';
import { DeliveryAttemptRunner } from './worker/delivery-attempt-runner.js';
import { WebhookBackground } from './worker/webhook-background.js';
import { WebhookWorker } from './worker/webhook-worker.js';

/**
 * Outbound webhooks: the outbox that the features write to, the relay that creates the deliveries of
 * its events, the worker that sends them, and the services of the command line.
 */
@Module({
  imports: [
    TenantCollectionsModule.forFeature(
      { name: 'OutboxEvent', schema: outboxEventSchema },
      { name: 'EventFeed', schema: eventFeedSchema },
      { name: 'WebhookEndpoint', schema: webhookEndpointSchema },
      { name: 'WebhookDelivery', schema: webhookDeliverySchema },
      { name: 'WebhookAttempt', schema: webhookAttemptSchema },
      { name: 'WebhookFigure', schema: webhookFigureSchema },
    ),
    MongooseModule.forFeature([{ name: 'DevelopmentKey', schema: developmentKeySchema }]),
  ],
  providers: [
    Outbox,
    OutboxEventsRepository,
    OutboxEventsService,
    OutboxChangeStream,
    EventFeedsRepository,
    EventFeedChanges,
    EventFeedService,
    EventNumbering,
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
    ReplacedWebhookIndexes,
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
    Outbox,
    OutboxEventsService,
    EventFeedService,
    EventFeedChanges,
    SecretKeys,
    WebhookEndpointsService,
    WebhookDeliveriesService,
    WebhookBackground,
    WebhookStatisticsService,
    WebhookErasuresService,
  ],
})
export class WebhooksModule {}
