import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { amenitySchema } from './amenity.schema.js';
import { propertyTypeSchema } from './property-type.schema.js';
import { unitDesignSchema } from './unit-design.schema.js';
import { unitSchema } from './unit.schema.js';

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
})
export class UnitsModule {}
