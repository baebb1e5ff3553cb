import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { EventsModule } from '../events/events.module.js';
import { DeliveriesCreated } from './deliveries/deliveries-created.js';
import { DeliveryQueueRepository } from './deliveries/delivery-queue.repository.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import { webhookDeliverySchema } from './deliveries/webhook-delivery.schema.js';
import { WebhookFanOut } from './deliveries/webhook-fan-out.js';
import { SecretKeys } from './endpoints/secret-keys.js';
import { webhookEndpointSchema } from './endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { DeliveryBatches } from './sending/delivery-batches.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { WebhookWorker } from './sending/webhook-worker.js';
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
    TenantCollectionsModule.forFeature(
      { name: 'WebhookEndpoint', schema: webhookEndpointSchema },
      { name: 'WebhookDelivery', schema: webhookDeliverySchema },
      { name: 'WebhookStatistics', schema: webhookStatsSchema },
    ),
  ],
  providers: [
    ...services,
    DeliveriesCreated,
    DeliveryQueueRepository,
    WebhookSender,
    DeliveryBatches,
  ],
  exports: services,
})
export class WebhooksModule {}
