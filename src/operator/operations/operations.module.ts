import { Module } from '@nestjs/common';
import { RequestLogModule } from '../requests/request-log.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { OperatorLogModule } from '../audit/operator-log.module.js';
import { RequestMetrics } from '../../core/http/server/request-metrics.js';
import { HealthModule } from '../../health/health.module.js';
import { Operations } from './operations.js';
import { OperationsServer } from './operations-server.js';

@Module({
  // The console, which is loaded later, uses the log; `db init` needs its collection in any case.
  imports: [HealthModule, UsageModule, RequestLogModule, OperatorLogModule],
  providers: [RequestMetrics, OperationsServer, Operations],
  exports: [Operations],
})
export class OperationsModule {}
