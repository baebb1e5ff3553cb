import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { RequestLogRepository } from './request-log.repository.js';
import { requestLogSchema } from './request-log.schema.js';
import { RequestLogService } from './request-log.service.js';
import { RequestRecorder } from './request-recorder.js';

/** The log of requests that were refused or had ignored fields (rule OPS-36). */
@Module({
  imports: [
    TenantCollectionsModule.forFeature({ name: 'RequestLog', schema: requestLogSchema }),
    UsageModule,
  ],
  providers: [RequestLogRepository, RequestLogService, RequestRecorder],
  exports: [RequestLogService, RequestRecorder],
})
export class RequestLogModule {}
