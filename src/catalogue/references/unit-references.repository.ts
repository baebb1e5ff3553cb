import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection, type TenantFilter } from '../../database/documents/tenant-collection.js';
import { caseInsensitive } from '../../localization/fold-case.js';
import { languages } from '../../localization/language.js';
import type { AmenityDocument } from '../collections/amenity.schema.js';
import type { PropertyTypeDocument } from '../collections/property-type.schema.js';
import type { UnitDesignDocument } from '../collections/unit-design.schema.js';

type Ids = readonly Types.ObjectId[];

const notDeleted = { isDeleted: false };
const oldestFirst = { sort: { _id: 1 } } as const;

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

  async findUnitDesignsBySlugs(
    organizationId: Types.ObjectId,
    slugs: readonly string[],
  ): Promise<UnitDesignDocument[]> {
    const filter = { slug: { $in: slugs }, ...notDeleted };
    return this.unitDesigns.find(organizationId, filter, oldestFirst);
  }

  /** Amenities that may have one of the names, in any language; the comparison ignores case. */
  async findAmenitiesNamed(
    organizationId: Types.ObjectId,
    names: readonly string[],
  ): Promise<AmenityDocument[]> {
    const filter = { ...notDeleted, $or: named(names) };
    return this.amenities.find(organizationId, filter, inAnyCase);
  }

  /** Property types that may have one of the names or slugs; the comparison ignores case. */
  async findPropertyTypesNamed(
    organizationId: Types.ObjectId,
    names: readonly string[],
  ): Promise<PropertyTypeDocument[]> {
    const filter = { ...notDeleted, $or: [...named(names), { slug: { $in: names } }] };
    return this.propertyTypes.find(organizationId, filter, inAnyCase);
  }
}

const inAnyCase = { ...oldestFirst, collation: caseInsensitive };

function named(names: readonly string[]): TenantFilter[] {
  return languages.map((language) => ({ [`name.${language}`]: { $in: names } }));
}
