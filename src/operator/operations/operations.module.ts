import { Module } from '@nestjs/common';
import { RecordsModule } from '../records.module.js';
import { RequestMetrics } from '../../core/http/server/request-metrics.js';
import { HealthModule } from '../../health/health.module.js';
import { Operations } from './operations.js';

@Module({
  imports: [HealthModule, RecordsModule],
  providers: [RequestMetrics, Operations],
  exports: [Operations],
})
export class OperationsModule {}
