import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import { notDeleted } from '../../database/documents/tenant-document.js';
import type { TenantFilter } from '../../database/documents/tenant-filter.js';
import { caseInsensitive } from '../../localization/fold-case.js';
import { languages } from '../../localization/language.js';
import type { AmenityDocument } from '../collections/amenity.schema.js';
import type { PropertyTypeDocument } from '../collections/property-type.schema.js';
import type { UnitDesignDocument } from '../collections/unit-design.schema.js';

type Ids = readonly Types.ObjectId[];

const oldestFirst = { sort: { _id: 1 } } as const;

/** The queries on `amenities`, `propertyTypes` and `unitDesigns`, which units refer to. */
@Injectable()
export class UnitReferencesRepository {
  constructor(
    @InjectCollection('Amenity') private readonly amenities: TenantCollection<AmenityDocument>,
    @InjectCollection('PropertyType')
    private readonly propertyTypes: TenantCollection<PropertyTypeDocument>,
    @InjectCollection('UnitDesign')
    private readonly unitDesigns: TenantCollection<UnitDesignDocument>,
  ) {}

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

function named(names: readonly string[]): TenantFilter<UnitDesignDocument>[] {
  return languages.map((language) => ({ [`name.${language}`]: { $in: names } }));
}
