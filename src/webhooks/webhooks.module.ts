import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantsModule } from '../tenants/tenants.module.js';
import { EventsModule } from '../events/events.module.js';
import { DeliveriesCreated } from './deliveries/deliveries-created.js';
import { WebhookDeliveriesRepository } from './deliveries/webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import { webhookDeliverySchema } from './deliveries/webhook-delivery.schema.js';
import { WebhookReplaysRepository } from './deliveries/webhook-replays.repository.js';
import { WebhookFanOut } from './deliveries/webhook-fan-out.js';
import { SecretHoldersRepository } from './endpoints/secret-holders.repository.js';
import { SecretKeys } from './endpoints/secret-keys.js';
import { webhookEndpointSchema } from './endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from './endpoints/webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { DeliveryBatches } from './sending/delivery-batches.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { WebhookWorker } from './sending/webhook-worker.js';
import { WebhookStatsRepository } from './statistics/webhook-stats.repository.js';
import { webhookStatsSchema } from './statistics/webhook-stats.schema.js';
import { WebhookStatsService } from './statistics/webhook-stats.service.js';

const services = [
  SecretKeys,
  WebhookEndpointsService,
  WebhookDeliveriesService,
  WebhookWorker,
  WebhookStatsService,
  WebhookFanOut,
];

@Module({
  imports: [
    TenantsModule,
    EventsModule,
    MongooseModule.forFeature([
      { name: 'WebhookEndpoint', schema: webhookEndpointSchema },
      { name: 'WebhookDelivery', schema: webhookDeliverySchema },
      { name: 'WebhookStatistics', schema: webhookStatsSchema },
    ]),
  ],
  providers: [
    ...services,
    DeliveriesCreated,
    WebhookDeliveriesRepository,
    WebhookReplaysRepository,
    WebhookEndpointsRepository,
    WebhookStatsRepository,
    SecretHoldersRepository,
    WebhookSender,
    DeliveryBatches,
  ],
  exports: services,
})
export class WebhooksModule {}
