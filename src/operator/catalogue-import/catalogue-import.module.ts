import { Module } from '@nestjs/common';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { UnitReservationsModule } from '../../reservations/unit-reservations.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { CatalogueValidationService } from './catalogue-validation.service.js';
import { CatalogueImportsRepository } from './catalogue-imports.repository.js';
import { CatalogueImportsService } from './catalogue-imports.service.js';

@Module({
  imports: [UnitReservationsModule, CatalogueModule, TenantsModule, UnitsModule],
  providers: [CatalogueImportsRepository, CatalogueValidationService, CatalogueImportsService],
  exports: [CatalogueImportsService],
})
export class CatalogueImportModule {}
