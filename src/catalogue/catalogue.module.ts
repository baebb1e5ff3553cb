import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { amenitySchema } from './collections/amenity.schema.js';
import { compoundSchema } from './collections/compound.schema.js';
import { phaseSchema } from './collections/phase.schema.js';
import { propertyTypeSchema } from './collections/property-type.schema.js';
import { unitDesignSchema } from './collections/unit-design.schema.js';
import { unitSchema } from './collections/unit.schema.js';
import { ReferencesRepository } from './references/references.repository.js';
import { CatalogueFreshness } from './responses/catalogue-freshness.js';
import { KeptParts } from './responses/kept-parts.js';
import { KeptResponsesService } from './responses/kept-responses.service.js';

/** What compounds and units share: their collections, what they refer to, and kept responses. */
@Module({
  imports: [
    TenantCollectionsModule.forFeature(
      { name: 'Compound', schema: compoundSchema },
      { name: 'Phase', schema: phaseSchema },
      { name: 'PropertyType', schema: propertyTypeSchema },
      { name: 'UnitDesign', schema: unitDesignSchema },
      { name: 'Amenity', schema: amenitySchema },
      { name: 'Unit', schema: unitSchema },
    ),
  ],
  providers: [ReferencesRepository, CatalogueFreshness, KeptParts, KeptResponsesService],
  exports: [TenantCollectionsModule, ReferencesRepository, KeptParts, KeptResponsesService],
})
export class CatalogueModule {}
