import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.js';
import { LeadsModule } from '../../leads/leads.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { EventsModule } from '../../events/events.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { erasureSchema } from './erasure.schema.js';
import { ErasuresService } from './erasures.service.js';

@Module({
  imports: [
    IdempotencyModule,
    LeadsModule,
    TenantsModule,
    EventsModule,
    WebhooksModule,
    TenantCollectionsModule.forFeature({ name: 'Erasure', schema: erasureSchema }),
  ],
  providers: [ErasuresService],
  exports: [ErasuresService],
})
export class ErasuresModule {}
