import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { operatorLogSchema } from './operator-log.schema.js';
import { OperatorLogRepository } from './operator-log.repository.js';
import { OperatorLogService } from './operator-log.service.js';

@Module({
  imports: [TenantCollectionsModule.forFeature({ name: 'OperatorLog', schema: operatorLogSchema })],
  providers: [OperatorLogRepository, OperatorLogService],
  exports: [OperatorLogService],
})
export class OperatorLogModule {}
