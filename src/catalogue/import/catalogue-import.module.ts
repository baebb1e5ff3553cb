import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../database/documents/tenant-collections.module.js';
import { OrganizationsModule } from '../../organizations/organizations.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { CatalogueModule } from '../catalogue.module.js';
import { catalogueImportRecordSchema } from './catalogue-import-record.schema.js';
import { CatalogueImportRecordsRepository } from './catalogue-import-records.repository.js';
import { CatalogueChecks } from './catalogue-checks.js';
import { CatalogueImportRepository } from './catalogue-import.repository.js';
import { CatalogueImportsService } from './catalogue-imports.service.js';
import { CatalogueOverviewService } from './catalogue-overview.service.js';

/** The import of catalogues, which stores units as their feature does. */
@Module({
  imports: [
    CatalogueModule,
    OrganizationsModule,
    UnitsModule,
    TenantCollectionsModule.forFeature({
      name: 'CatalogueImportRecord',
      schema: catalogueImportRecordSchema,
    }),
  ],
  providers: [
    CatalogueImportRepository,
    CatalogueImportRecordsRepository,
    CatalogueChecks,
    CatalogueImportsService,
    CatalogueOverviewService,
  ],
  exports: [CatalogueOverviewService],
})
export class CatalogueImportModule {}
