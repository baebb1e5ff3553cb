import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CompoundsModule } from '../compounds/compounds.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { HttpModule } from '../http/http.module.js';
import { amenitySchema } from './amenity.schema.js';
import { propertyTypeSchema } from './property-type.schema.js';
import { unitDesignSchema } from './unit-design.schema.js';
import { UnitAvailabilityService } from './unit-availability.service.js';
import { CompoundUnitsController } from './compound-units.controller.js';
import { UnitExportsService } from './unit-exports.service.js';
import { UnitFiltersService } from './unit-filters.service.js';
import { UnitNamesService } from './unit-names.service.js';
import { UnitsController } from './units.controller.js';
import { UnitLinksService } from './unit-links.service.js';
import { UnitUpsertsService } from './unit-upserts.service.js';
import { UnitsService } from './units.service.js';
import { UnitEventsService } from './unit-events.service.js';
import { UnitPresentationService } from './unit-presentation.service.js';
import { UnitReferencesRepository } from './unit-references.repository.js';
import { UnitLookupService } from './unit-lookup.service.js';
import { CatalogueChecksService } from './import/catalogue-checks.service.js';
import { CatalogueImportsService } from './import/catalogue-imports.service.js';
import { UnitStoresService } from './import/unit-stores.service.js';
import { unitSchema } from './unit.schema.js';
import { UnitsRepository } from './units.repository.js';

/** Units and what they refer to. */
@Module({
  imports: [
    CompoundsModule,
    HttpModule,
    WebhooksModule,
    MongooseModule.forFeature([
      { name: 'Amenity', schema: amenitySchema },
      { name: 'PropertyType', schema: propertyTypeSchema },
      { name: 'UnitDesign', schema: unitDesignSchema },
      { name: 'Unit', schema: unitSchema },
    ]),
  ],
  controllers: [CompoundUnitsController, UnitsController],
  providers: [
    UnitsRepository,
    UnitNamesService,
    UnitFiltersService,
    UnitExportsService,
    UnitsService,
    UnitLinksService,
    UnitUpsertsService,
    UnitStoresService,
    CatalogueChecksService,
    CatalogueImportsService,
    UnitReferencesRepository,
    UnitPresentationService,
    UnitEventsService,
    UnitAvailabilityService,
    UnitLookupService,
  ],
  exports: [
    UnitLookupService,
    CatalogueImportsService,
    UnitAvailabilityService,
    UnitEventsService,
    UnitPresentationService,
  ],
})
export class UnitsModule {}
