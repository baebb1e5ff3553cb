import { Module } from '@nestjs/common';
import { RequestLogModule } from '../requests/request-log.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { OperatorLogModule } from '../audit/operator-log.module.js';
import { RequestMetrics } from '../../core/http/server/request-metrics.js';
import { HealthModule } from '../../health/health.module.js';
import { Operations } from './operations.js';
import { OperationsServer } from './operations-server.js';

/** Metrics and probes for those who operate the service (rules OPS-10 and OPS-11). */
@Module({
  // The log is the console's, which is loaded later; `db init` has to know its collection in any case.
  imports: [HealthModule, UsageModule, RequestLogModule, OperatorLogModule],
  providers: [RequestMetrics, OperationsServer, Operations],
  exports: [Operations],
})
export class OperationsModule {}
