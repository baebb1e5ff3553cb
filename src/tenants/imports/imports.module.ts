import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { importSchema, ImportsService } from './imports.service.js';

@Module({
  imports: [TenantCollectionsModule.forFeature({ name: 'Import', schema: importSchema })],
  providers: [ImportsService],
  exports: [ImportsService],
})
export class ImportsModule {}
