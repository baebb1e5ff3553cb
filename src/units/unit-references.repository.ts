import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection } from '../database/tenant-collection.js';
import type { AmenityDocument } from './amenity.schema.js';
import type { PropertyTypeDocument } from './property-type.schema.js';
import type { UnitDesignDocument } from './unit-design.schema.js';

type Ids = readonly Types.ObjectId[];

const notDeleted = { isDeleted: false };

/** The queries on `amenities`, `propertyTypes` and `unitDesigns`, which units refer to. */
@Injectable()
export class UnitReferencesRepository {
  private readonly amenities: TenantCollection<AmenityDocument>;
  private readonly propertyTypes: TenantCollection<PropertyTypeDocument>;
  private readonly unitDesigns: TenantCollection<UnitDesignDocument>;

  constructor(
    @InjectModel('Amenity') amenity: Model<AmenityDocument>,
    @InjectModel('PropertyType') propertyType: Model<PropertyTypeDocument>,
    @InjectModel('UnitDesign') unitDesign: Model<UnitDesignDocument>,
  ) {
    this.amenities = new TenantCollection(amenity);
    this.propertyTypes = new TenantCollection(propertyType);
    this.unitDesigns = new TenantCollection(unitDesign);
  }

  async findAmenities(organizationId: Types.ObjectId, ids: Ids): Promise<AmenityDocument[]> {
    return this.amenities.find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  async findPropertyTypes(
    organizationId: Types.ObjectId,
    ids: Ids,
  ): Promise<PropertyTypeDocument[]> {
    return this.propertyTypes.find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  async findUnitDesigns(organizationId: Types.ObjectId, ids: Ids): Promise<UnitDesignDocument[]> {
    return this.unitDesigns.find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }
}
