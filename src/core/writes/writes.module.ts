import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { idempotencyRecordSchema } from '../idempotency/idempotency-record.schema.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { IdempotentRequests } from '../idempotency/idempotent-requests.js';
import { GroupCommits } from './group-commit.js';

@Module({
  imports: [
    TenantCollectionsModule.forFeature({
      name: 'IdempotencyRecord',
      schema: idempotencyRecordSchema,
    }),
  ],
  providers: [GroupCommits, IdempotencyService, IdempotentRequests],
  exports: [GroupCommits, IdempotencyService],
})
export class WritesModule {}
