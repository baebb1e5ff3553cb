import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { OrganizationsModule } from '../tenants/organizations/organizations.module.js';
import { CompoundLookupService } from './compound-lookup.service.js';
import { CompoundsController } from './compounds.controller.js';
import { CompoundsService } from './compounds.service.js';

@Module({
  imports: [CatalogueModule, OrganizationsModule],
  controllers: [CompoundsController],
  providers: [CompoundLookupService, CompoundsService],
  exports: [CompoundLookupService],
})
export class CompoundsModule {}
