import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { ChangeLogRepository } from './change-log.repository.js';
import { changeLogSchema } from './change-log.schema.js';

@Module({
  imports: [
    TenantCollectionsModule.forFeature({
      name: 'ChangeLog',
      schema: changeLogSchema,
      hasForeignFields: true,
    }),
  ],
  providers: [ChangeLogRepository],
  exports: [ChangeLogRepository],
})
export class ChangeLogModule {}
