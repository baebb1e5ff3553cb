import { Module } from '@nestjs/common';
import { UnitsModule } from '../../units/units.module.js';
import { CatalogueModule } from '../catalogue.module.js';
import { CatalogueChecks } from './catalogue-checks.js';
import { CatalogueImportRepository } from './catalogue-import.repository.js';
import { CatalogueImportsService } from './catalogue-imports.service.js';

/** The import of catalogues, which stores units as their feature does. */
@Module({
  imports: [CatalogueModule, UnitsModule],
  providers: [CatalogueImportRepository, CatalogueChecks, CatalogueImportsService],
})
export class CatalogueImportModule {}
