import { Module } from '@nestjs/common';
import { RecordsModule } from '../records.module.js';
import { HealthModule } from '../../health/health.module.js';
import { Operations } from './operations.js';

@Module({
  imports: [HealthModule, RecordsModule],
  providers: [Operations],
  exports: [Operations],
})
export class OperationsModule {}
