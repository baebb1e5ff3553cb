import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../../tenants/organizations/organizations.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { ImportsModule } from '../../tenants/imports/imports.module.js';
import { CatalogueChecks } from './catalogue-checks.js';
import { CatalogueImportRepository } from './catalogue-import.repository.js';
import { CatalogueImportsService } from './catalogue-imports.service.js';
import { CatalogueOverviewService } from './catalogue-overview.service.js';

@Module({
  imports: [CatalogueModule, OrganizationsModule, UnitsModule, ImportsModule],
  providers: [
    CatalogueImportRepository,
    CatalogueChecks,
    CatalogueImportsService,
    CatalogueOverviewService,
  ],
  exports: [CatalogueOverviewService],
})
export class CatalogueImportModule {}
