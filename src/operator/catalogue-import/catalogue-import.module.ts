import { Module } from '@nestjs/common';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { CatalogueChecks } from './catalogue-checks.js';
import { CatalogueImportRepository } from './catalogue-import.repository.js';
import { CatalogueImportsService } from './catalogue-imports.service.js';
import { CatalogueOverviewService } from './catalogue-overview.service.js';

@Module({
  imports: [CatalogueModule, TenantsModule, UnitsModule],
  providers: [
    CatalogueImportRepository,
    CatalogueChecks,
    CatalogueImportsService,
    CatalogueOverviewService,
  ],
  exports: [CatalogueOverviewService],
})
export class CatalogueImportModule {}
