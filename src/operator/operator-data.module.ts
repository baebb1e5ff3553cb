import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantsModule } from '../tenants/tenants.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { operatorLogSchema } from './operator-log/operator-log.schema.js';
import { OperatorLogRepository } from './operator-log/operator-log.repository.js';
import { OperatorLogService } from './operator-log/operator-log.service.js';
import { RequestLogRepository } from './request-log/request-log.repository.js';
import { requestLogSchema } from './request-log/request-log.schema.js';
import { RequestLogService } from './request-log/request-log.service.js';
import { RequestRecorder } from './request-log/request-recorder.js';
import { PartnersService } from './usage/partners.service.js';
import { UsageRecorder } from './usage/usage-recorder.js';
import { UsageStatsRepository } from './usage/usage-stats.repository.js';
import { usageStatsSchema } from './usage/usage-stats.schema.js';
import { UsageStatsService } from './usage/usage-stats.service.js';

const services = [
  UsageRecorder,
  UsageStatsService,
  PartnersService,
  RequestRecorder,
  RequestLogService,
  OperatorLogService,
];

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'UsageStats', schema: usageStatsSchema },
      { name: 'RequestLog', schema: requestLogSchema },
      { name: 'OperatorLog', schema: operatorLogSchema },
    ]),
    TenantsModule,
    WebhooksModule,
  ],
  providers: [...services, UsageStatsRepository, RequestLogRepository, OperatorLogRepository],
  exports: services,
})
export class OperatorDataModule {}
