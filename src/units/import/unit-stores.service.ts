import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { CatalogueStore, type SluggedDocument } from '../../compounds/catalogue-store.js';
import { CompoundStoresService } from '../../compounds/compound-stores.service.js';
import type { AmenityDocument } from '../amenity.schema.js';
import type { PropertyTypeDocument } from '../property-type.schema.js';
import type { UnitDesignDocument } from '../unit-design.schema.js';
import type { UnitDocument } from '../unit.schema.js';
import type { Kind } from './catalogue-records.js';

/** All collections of the catalogue as imports see them. */
@Injectable()
export class UnitStoresService {
  readonly compounds: CompoundStoresService['compounds'];
  readonly phases: CompoundStoresService['phases'];
  readonly propertyTypes: CatalogueStore<PropertyTypeDocument>;
  readonly amenities: CatalogueStore<AmenityDocument>;
  readonly unitDesigns: CatalogueStore<UnitDesignDocument>;
  readonly units: CatalogueStore<UnitDocument>;

  constructor(
    { compounds, phases }: CompoundStoresService,
    @InjectModel('PropertyType') propertyType: Model<PropertyTypeDocument>,
    @InjectModel('Amenity') amenity: Model<AmenityDocument>,
    @InjectModel('UnitDesign') unitDesign: Model<UnitDesignDocument>,
    @InjectModel('Unit') unit: Model<UnitDocument>,
  ) {
    this.compounds = compounds;
    this.phases = phases;
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
