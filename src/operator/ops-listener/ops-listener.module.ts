import { Module } from '@nestjs/common';
import { OperatorDataModule } from '../operator-data.module.js';
import { HealthModule } from '../../health/health.module.js';
import { OpsListener } from './ops-listener.js';

@Module({
  imports: [HealthModule, OperatorDataModule],
  providers: [OpsListener],
  exports: [OpsListener],
})
export class OpsListenerModule {}
