import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CompoundsModule } from '../compounds/compounds.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { amenitySchema } from './amenity.schema.js';
import { propertyTypeSchema } from './property-type.schema.js';
import { unitDesignSchema } from './unit-design.schema.js';
import { UnitAvailabilityService } from './unit-availability.service.js';
import { UnitEventsService } from './unit-events.service.js';
import { UnitPresentationService } from './unit-presentation.service.js';
import { UnitReferencesRepository } from './unit-references.repository.js';
import { UnitLookupService } from './unit-lookup.service.js';
import { unitSchema } from './unit.schema.js';
import { UnitsRepository } from './units.repository.js';

/** Units and what they refer to. */
@Module({
  imports: [
    CompoundsModule,
    WebhooksModule,
    MongooseModule.forFeature([
      { name: 'Amenity', schema: amenitySchema },
      { name: 'PropertyType', schema: propertyTypeSchema },
      { name: 'UnitDesign', schema: unitDesignSchema },
      { name: 'Unit', schema: unitSchema },
    ]),
  ],
  providers: [
    UnitsRepository,
    UnitReferencesRepository,
    UnitPresentationService,
    UnitEventsService,
    UnitAvailabilityService,
    UnitLookupService,
  ],
  exports: [UnitLookupService, UnitAvailabilityService, UnitEventsService, UnitPresentationService],
})
export class UnitsModule {}
