import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { amenitySchema } from './amenity.schema.js';
import { propertyTypeSchema } from './property-type.schema.js';
import { unitDesignSchema } from './unit-design.schema.js';
import { UnitAvailabilityService } from './unit-availability.service.js';
import { unitSchema } from './unit.schema.js';
import { UnitsRepository } from './units.repository.js';

/** Units and what they refer to. */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'Amenity', schema: amenitySchema },
      { name: 'PropertyType', schema: propertyTypeSchema },
      { name: 'UnitDesign', schema: unitDesignSchema },
      { name: 'Unit', schema: unitSchema },
    ]),
  ],
  providers: [UnitsRepository, UnitAvailabilityService],
  exports: [UnitAvailabilityService],
})
export class UnitsModule {}
