import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { CatalogueRepository } from './catalogue.repository.js';
import {
  amenitySchema,
  phaseSchema,
  propertyTypeSchema,
  unitDesignSchema,
} from './collections/unit-references.schema.js';
import { compoundSchema } from './collections/compound.schema.js';
import { unitSchema } from './collections/unit.schema.js';

@Module({
  imports: [
    TenantCollectionsModule.forFeature(
      { name: 'Compound', schema: compoundSchema, isCached: true },
      { name: 'Phase', schema: phaseSchema, isCached: true },
      { name: 'PropertyType', schema: propertyTypeSchema, isCached: true },
      { name: 'UnitDesign', schema: unitDesignSchema, isCached: true },
      { name: 'Amenity', schema: amenitySchema, isCached: true },
      { name: 'Unit', schema: unitSchema, isCached: true },
    ),
  ],
  providers: [CatalogueRepository],
  exports: [TenantCollectionsModule, CatalogueRepository],
})
export class CatalogueModule {}
