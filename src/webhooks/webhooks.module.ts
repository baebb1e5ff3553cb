import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { DeliveryTries } from './delivery-tries.js';
import { developmentKeySchema } from './development-key.schema.js';
import { EncryptionKeys } from './encryption-keys.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { NameResolver } from './name-resolver.js';
import { outboxEventSchema } from './outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';
import { OutboxWatch } from './outbox-watch.js';
import { Outbox } from './outbox.js';
import { webhookAttemptSchema } from './webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from './webhook-attempts.repository.js';
import { WebhookBackground } from './webhook-background.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { webhookDeliverySchema } from './webhook-delivery.schema.js';
import { webhookEndpointSchema } from './webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import { WebhookRelay } from './webhook-relay.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookWorker } from './webhook-worker.js';

/**
 * Outbound webhooks: the outbox that the features write to, the relay that hands its events to the
 * endpoints, the worker that delivers them, and the operator's side of all that.
 */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'OutboxEvent', schema: outboxEventSchema },
      { name: 'WebhookEndpoint', schema: webhookEndpointSchema },
      { name: 'WebhookDelivery', schema: webhookDeliverySchema },
      { name: 'WebhookAttempt', schema: webhookAttemptSchema },
      { name: 'DevelopmentKey', schema: developmentKeySchema },
    ]),
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
