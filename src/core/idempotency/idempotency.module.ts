import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { idempotencyRecordSchema } from './idempotency-record.schema.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';
import { IdempotencyService } from './idempotency.service.js';

@Module({
  imports: [
    TenantCollectionsModule.forFeature({
      name: 'IdempotencyRecord',
      schema: idempotencyRecordSchema,
    }),
  ],
  providers: [IdempotencyRecordsRepository, IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
