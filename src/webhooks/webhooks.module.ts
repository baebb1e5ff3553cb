import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { DeliveryQueueRepository } from './deliveries/delivery-queue.repository.js';
import { DeliveryTries } from './worker/delivery-tries.js';
import { developmentKeySchema } from './endpoints/development-key.schema.js';
import { EncryptionKeys } from './endpoints/encryption-keys.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.js';
import { NameResolver } from './sending/name-resolver.js';
import { outboxEventSchema } from './outbox/outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox/outbox-events.repository.js';
import { OutboxWatch } from './outbox/outbox-watch.js';
import { Outbox } from './outbox/outbox.js';
import { webhookAttemptSchema } from './deliveries/webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from './deliveries/webhook-attempts.repository.js';
import { WebhookBackground } from './worker/webhook-background.js';
import { WebhookDeliveriesRepository } from './deliveries/webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import { webhookDeliverySchema } from './deliveries/webhook-delivery.schema.js';
import { webhookEndpointSchema } from './endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from './endpoints/webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { WebhookRelay } from './outbox/webhook-relay.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { WebhookWorker } from './worker/webhook-worker.js';

/**
 * Outbound webhooks: the outbox that the features write to, the relay that hands its events to the
 * endpoints, the worker that delivers them, and the operator's side of all that.
 */
@Module({
  imports: [
    TenantCollectionsModule.forFeature(
      { name: 'OutboxEvent', schema: outboxEventSchema },
      { name: 'WebhookEndpoint', schema: webhookEndpointSchema },
      { name: 'WebhookDelivery', schema: webhookDeliverySchema },
      { name: 'WebhookAttempt', schema: webhookAttemptSchema },
      { name: 'DevelopmentKey', schema: developmentKeySchema },
    ),
  ],
  providers: [
    Outbox,
    OutboxEventsRepository,
    OutboxWatch,
    WebhookRelay,
    WebhookEndpointsRepository,
    WebhookEndpointsService,
    EncryptionKeys,
    EndpointSecrets,
    WebhookDeliveriesRepository,
    WebhookDeliveriesService,
    DeliveryQueueRepository,
    WebhookAttemptsRepository,
    DeliveryTries,
    NameResolver,
    WebhookSender,
    WebhookWorker,
    WebhookBackground,
  ],
  exports: [Outbox, WebhookEndpointsService, WebhookDeliveriesService, WebhookBackground],
})
export class WebhooksModule {}
