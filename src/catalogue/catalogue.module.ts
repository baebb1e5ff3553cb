import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueRepository } from './catalogue.repository.js';
import {
  amenitySchema,
  phaseSchema,
  propertyTypeSchema,
  unitDesignSchema,
} from './collections/unit-references.schema.js';
import { compoundSchema } from './collections/compound.schema.js';
import { unitSchema } from './collections/unit.schema.js';
import { CatalogueVisibilityService } from './visibility/catalogue-visibility.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'Compound', schema: compoundSchema },
      { name: 'Phase', schema: phaseSchema },
      { name: 'PropertyType', schema: propertyTypeSchema },
      { name: 'UnitDesign', schema: unitDesignSchema },
      { name: 'Amenity', schema: amenitySchema },
      { name: 'Unit', schema: unitSchema },
    ]),
  ],
  providers: [CatalogueRepository, CatalogueVisibilityService],
  exports: [MongooseModule, CatalogueRepository, CatalogueVisibilityService],
})
export class CatalogueModule {}
