import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.js';
import { LeadsModule } from '../../leads/leads.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { EventsModule } from '../../events/events.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { erasureSchema } from './erasure.schema.js';
import { ErasuresRepository } from './erasures.repository.js';
import { ErasuresService } from './erasures.service.js';

@Module({
  imports: [
    IdempotencyModule,
    LeadsModule,
    TenantsModule,
    EventsModule,
    WebhooksModule,
    MongooseModule.forFeature([{ name: 'Erasure', schema: erasureSchema }]),
  ],
  providers: [ErasuresRepository, ErasuresService],
  exports: [ErasuresService],
})
export class ErasuresModule {}
