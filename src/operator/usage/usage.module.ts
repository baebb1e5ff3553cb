import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { PartnersService } from './partners.service.js';
import { UsageCounter } from './usage-counter.js';
import { UsageRecorder } from './usage-recorder.js';
import { UsageStatsRepository } from './usage-stats.repository.js';
import { usageStatsSchema } from './usage-stats.schema.js';
import { UsageStatsService } from './usage-stats.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: 'UsageStats', schema: usageStatsSchema }]),
    TenantsModule,
    WebhooksModule,
  ],
  providers: [
    UsageCounter,
    UsageRecorder,
    UsageStatsRepository,
    UsageStatsService,
    PartnersService,
  ],
  exports: [UsageCounter, UsageRecorder, UsageStatsService, PartnersService],
})
export class UsageModule {}
