import { Injectable } from '@nestjs/common';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { AmenityDocument } from '../collections/amenity.schema.js';
import type { CompoundDocument } from '../collections/compound.schema.js';
import type { PhaseDocument } from '../collections/phase.schema.js';
import type { PropertyTypeDocument } from '../collections/property-type.schema.js';
import type { UnitDesignDocument } from '../collections/unit-design.schema.js';
import type { UnitDocument } from '../collections/unit.schema.js';
import type { Kind } from './catalogue-records.js';
import { CatalogueStore, type SluggedDocument } from './catalogue-store.js';

/** All collections of the catalogue as imports see them. */
@Injectable()
export class CatalogueStores {
  readonly compounds: CatalogueStore<CompoundDocument>;
  readonly phases: CatalogueStore<PhaseDocument>;
  readonly propertyTypes: CatalogueStore<PropertyTypeDocument>;
  readonly amenities: CatalogueStore<AmenityDocument>;
  readonly unitDesigns: CatalogueStore<UnitDesignDocument>;
  readonly units: CatalogueStore<UnitDocument>;

  constructor(
    @InjectCollection('Compound') compound: TenantCollection<CompoundDocument>,
    @InjectCollection('Phase') phase: TenantCollection<PhaseDocument>,
    @InjectCollection('PropertyType') propertyType: TenantCollection<PropertyTypeDocument>,
    @InjectCollection('Amenity') amenity: TenantCollection<AmenityDocument>,
    @InjectCollection('UnitDesign') unitDesign: TenantCollection<UnitDesignDocument>,
    @InjectCollection('Unit') unit: TenantCollection<UnitDocument>,
  ) {
    this.compounds = new CatalogueStore(compound);
    this.phases = new CatalogueStore(phase);
    this.propertyTypes = new CatalogueStore(propertyType);
    this.amenities = new CatalogueStore(amenity);
    this.unitDesigns = new CatalogueStore(unitDesign);
    this.units = new CatalogueStore(unit);
  }

  /** The collection of a kind of record. */
  of(kind: Kind): Pick<CatalogueStore<SluggedDocument>, 'bySlug' | 'save'> {
    return this[kind];
  }
}
