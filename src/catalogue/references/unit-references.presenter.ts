import {
  type PresentedMedia,
  type PresentedRecord,
  type PresentedReview,
  presentMedia,
  presentRecord,
  presentReview,
} from '../presenting/catalogue.presenter.js';
import { idOf, idsOf, numberOf, textOf } from '../../database/documents/stored-values.js';
import type { Language } from '../../localization/language.js';
import { textIn } from '../../localization/localized.js';
import type { AmenityDocument } from '../collections/amenity.schema.js';
import type { PropertyTypeDocument } from '../collections/property-type.schema.js';
import type { UnitDesignDocument } from '../collections/unit-design.schema.js';

/** An amenity as units show it (section 2.7). */
export interface PresentedAmenity extends PresentedRecord {
  readonly name: string;
  readonly icon: string;
  readonly fontColor: string;
  readonly backgroundColor: string;
}

/** A property type as units show it (section 2.7). */
export interface PresentedPropertyType extends PresentedRecord {
  readonly propertyTypeCategoryId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly slug: string;
}

/** A unit design as units show it (section 2.7). */
export interface PresentedUnitDesign extends PresentedRecord, PresentedReview {
  readonly organizationId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly bua: number;
  readonly bedrooms: number;
  readonly media: readonly PresentedMedia[];
  readonly offerGallery: readonly PresentedMedia[];
  readonly amenitiesIds: readonly string[];
  readonly locationsIds: readonly string[];
  readonly addonsIds: readonly string[];
  readonly releaseIds: readonly string[];
  readonly type: string;
}

/** What leaves the service of an amenity. */
export function presentAmenity(amenity: AmenityDocument, language: Language): PresentedAmenity {
  return {
    ...presentRecord(amenity),
    name: textIn(amenity.name, language),
    icon: textOf(amenity.icon),
    fontColor: textOf(amenity.fontColor),
    backgroundColor: textOf(amenity.backgroundColor),
  };
}

/** What leaves the service of a property type. */
export function presentPropertyType(
  type: PropertyTypeDocument,
  language: Language,
): PresentedPropertyType {
  return {
    ...presentRecord(type),
    propertyTypeCategoryId: idOf(type.propertyTypeCategoryId),
    organizationId: idOf(type.organizationId),
    name: textIn(type.name, language),
    slug: textOf(type.slug),
  };
}

/** What leaves the service of a unit design. */
export function presentUnitDesign(
  design: UnitDesignDocument,
  language: Language,
): PresentedUnitDesign {
  return {
    ...presentRecord(design),
    ...presentReview(design),
    organizationId: idOf(design.organizationId),
    name: textIn(design.name, language),
    slug: textOf(design.slug),
    description: textIn(design.description, language),
    bua: numberOf(design.bua),
    bedrooms: numberOf(design.bedrooms),
    media: presentMedia(design.media),
    offerGallery: presentMedia(design.offerGallery),
    amenitiesIds: idsOf(design.amenitiesIds),
    locationsIds: idsOf(design.locationsIds),
    addonsIds: idsOf(design.addonsIds),
    releaseIds: idsOf(design.releaseIds),
    type: textOf(design.type),
  };
}
