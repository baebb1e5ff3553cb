import { Module } from '@nestjs/common';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { AvailabilityModule } from '../../availability/availability.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { CatalogueChecksService } from './catalogue-checks.service.js';
import { CatalogueImportsService } from './catalogue-imports.service.js';
import { CatalogueOverviewService } from './catalogue-overview.service.js';

@Module({
  imports: [AvailabilityModule, CatalogueModule, TenantsModule, UnitsModule],
  providers: [CatalogueChecksService, CatalogueImportsService, CatalogueOverviewService],
  exports: [CatalogueOverviewService],
})
export class CatalogueImportModule {}
