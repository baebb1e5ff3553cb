import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { idempotencyRecordSchema } from '../idempotency/idempotency-record.schema.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { WriteServices } from './group-transaction.js';

@Module({
  imports: [
    TenantCollectionsModule.forFeature({
      name: 'IdempotencyRecord',
      schema: idempotencyRecordSchema,
    }),
  ],
  providers: [WriteServices, IdempotencyService],
  exports: [WriteServices, IdempotencyService],
})
export class WritesModule {}
