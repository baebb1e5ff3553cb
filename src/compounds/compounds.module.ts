import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { UnitsModule } from '../units/units.module.js';
import { CompoundsController } from './compounds.controller.js';
import { CompoundsRepository } from './compounds.repository.js';
import { CompoundsService } from './compounds.service.js';

@Module({
  imports: [CatalogueModule, TenantsModule, UnitsModule],
  controllers: [CompoundsController],
  providers: [CompoundsRepository, CompoundsService],
})
export class CompoundsModule {}
