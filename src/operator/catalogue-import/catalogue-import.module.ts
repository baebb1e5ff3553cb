import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { OrganizationsModule } from '../../tenants/organizations/organizations.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import {
  CatalogueImportRecordsRepository,
  catalogueImportRecordSchema,
} from '../../catalogue/import/catalogue-import-records.repository.js';
import { CatalogueChecks } from '../../catalogue/import/catalogue-checks.js';
import { CatalogueImportRepository } from '../../catalogue/import/catalogue-import.repository.js';
import { CatalogueImportsService } from './catalogue-imports.service.js';
import { CatalogueOverviewService } from '../../catalogue/import/catalogue-overview.service.js';

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
