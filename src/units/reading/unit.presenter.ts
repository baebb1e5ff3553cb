import {
  type PresentedMedia,
  type PresentedRecord,
  type PresentedReview,
  presentRecord,
  presentReview,
} from '../../catalogue/presenting/catalogue.presenter.js';
import type { PresentedPhase } from '../../catalogue/references/phases.service.js';
import {
  flagOf,
  idOf,
  idsOf,
  listOf,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
} from '../../database/documents/stored-values.js';
import type { Language } from '../../localization/language.js';
import { textIn } from '../../localization/localized.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import type {
  PresentedAmenity,
  PresentedPropertyType,
  PresentedUnitDesign,
} from '../../catalogue/references/unit-references.presenter.js';

/** A picture of a unit as it is shown. */
export interface PresentedUnitMedia extends PresentedMedia {
  readonly imageType: string | null;
}

/** The review of one aspect of a unit as it is shown. */
export interface PresentedUnitReview extends PresentedReview {
  readonly hasIssue: number;
  readonly type: string;
}

/** The stored fields of a unit as the API shows them (section 2.7). */
export interface PresentedUnitFields extends PresentedRecord {
  readonly organizationId: string;
  readonly locationId: string;
  readonly unitDesignId: string;
  readonly buildingId: string;
  readonly propertyTypeId: string;
  readonly finishingTypeId: string;
  readonly recordSystemId?: string;
  readonly unitId: string;
  readonly name: string;
  readonly slug: string;
  readonly status: string;
  readonly rentalStatus: string;
  readonly saleType: string;
  readonly bua: number;
  readonly price: number;
  readonly beds: number;
  readonly floor: { readonly name: string };
  readonly media: readonly PresentedUnitMedia[];
  readonly reviews: readonly PresentedUnitReview[];
  readonly showForBrokers: boolean;
  readonly isAdminOnly: boolean;
  readonly allowToTaskeen: boolean;
  readonly amenitiesIds: readonly string[];
  readonly paymentPlansIds: readonly string[];
  readonly maintenancePlanIds: readonly string[];
  readonly clubPlanIds: readonly string[];
  readonly featuresIds: readonly string[];
  readonly brokersIds: readonly string[];
  readonly brokersGroupsIds: readonly string[];
  readonly releaseIds: readonly string[];
  readonly listingType: readonly unknown[];
  readonly addons: readonly unknown[];
  readonly priceByPaymentPlan: readonly unknown[];
}

/** What a unit refers to, as it is shown; null where it is missing or deleted. */
export interface PresentedUnitReferences {
  readonly amenities: readonly PresentedAmenity[];
  readonly phase: PresentedPhase | null;
  readonly type: PresentedPropertyType | null;
  readonly unitDesign: PresentedUnitDesign | null;
}

/** A unit as the API shows it (section 2.7). */
export interface PresentedUnit extends PresentedUnitFields, PresentedUnitReferences {}

/** What leaves the service of a unit's own document. */
export function presentUnitFields(unit: UnitDocument, language: Language): PresentedUnitFields {
  return {
    ...presentRecord(unit),
    ...presentIdentity(unit),
    name: textIn(unit.name, language),
    status: textOf(unit.status),
    rentalStatus: textOf(unit.rentalStatus),
    saleType: textOf(unit.saleType),
    bua: numberOf(unit.bua),
    price: numberOf(unit.price),
    beds: numberOf(unit.beds),
    floor: { name: textOf(objectOf(unit.floor)['name']) },
    media: presentUnitMedia(unit.media),
    reviews: presentUnitReviews(unit.reviews),
    showForBrokers: flagOf(unit.showForBrokers),
    isAdminOnly: flagOf(unit.isAdminOnly),
    allowToTaskeen: flagOf(unit.allowToTaskeen),
    ...presentLists(unit),
  };
}

function presentIdentity(unit: UnitDocument) {
  return {
    organizationId: idOf(unit.organizationId),
    locationId: idOf(unit.locationId),
    unitDesignId: idOf(unit.unitDesignId),
    buildingId: idOf(unit.buildingId),
    propertyTypeId: idOf(unit.propertyTypeId),
    finishingTypeId: idOf(unit.finishingTypeId),
    ...(typeof unit.recordSystemId === 'string' ? { recordSystemId: unit.recordSystemId } : {}),
    unitId: textOf(unit.unitId),
    slug: textOf(unit.slug),
  };
}

function presentLists(unit: UnitDocument) {
  return {
    amenitiesIds: idsOf(unit.amenitiesIds),
    paymentPlansIds: idsOf(unit.paymentPlansIds),
    maintenancePlanIds: idsOf(unit.maintenancePlanIds),
    clubPlanIds: idsOf(unit.clubPlanIds),
    featuresIds: idsOf(unit.featuresIds),
    brokersIds: idsOf(unit.brokersIds),
    brokersGroupsIds: idsOf(unit.brokersGroupsIds),
    releaseIds: idsOf(unit.releaseIds),
    listingType: listOf(unit.listingType),
    addons: listOf(unit.addons),
    priceByPaymentPlan: listOf(unit.priceByPaymentPlan),
  };
}

function presentUnitMedia(stored: unknown): PresentedUnitMedia[] {
  return objectsOf(stored).map(({ image, imageType, type }) => ({
    image: textOf(image),
    imageType: textOf(imageType) || null,
    type: textOf(type),
  }));
}

function presentUnitReviews(stored: unknown): PresentedUnitReview[] {
  return objectsOf(stored).map((review) => ({
    hasIssue: numberOf(review['hasIssue']),
    type: textOf(review['type']),
    ...presentReview(review),
  }));
}
