import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { changeLogSchema } from './change-log.schema.js';
import { ChangeLog } from './change-log.js';

/** The change log. */
@Module({
  imports: [TenantCollectionsModule.forFeature({ name: 'ChangeLog', schema: changeLogSchema })],
  providers: [ChangeLog],
  exports: [ChangeLog],
})
export class ChangeLogModule {}
