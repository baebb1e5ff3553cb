import {
  common,
  flag,
  hex,
  ids,
  list,
  localized,
  number,
  review,
  text,
  textOrNull,
} from './values.mjs';

/** A unit with what it refers to. */
export function presentUnit(unit, language, references) {
  const { recordSystemId } = unit;
  return {
    ...common(unit),
    organizationId: hex(unit.organizationId),
    compoundId: hex(unit.compoundId),
    locationId: hex(unit.locationId),
    unitDesignId: hex(unit.unitDesignId),
    buildingId: hex(unit.buildingId),
    propertyTypeId: hex(unit.propertyTypeId),
    finishingTypeId: hex(unit.finishingTypeId),
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    unitId: text(unit.unitId),
    slug: text(unit.slug),
    name: localized(unit.name, language),
    status: text(unit.status),
    rentalStatus: text(unit.rentalStatus),
    saleType: text(unit.saleType),
    bua: number(unit.bua),
    price: number(unit.price),
    beds: number(unit.beds),
    floor: { name: text(unit.floor?.name) },
    media: list(unit.media).map(presentPicture),
    reviews: list(unit.reviews).map(presentReview),
    showForBrokers: flag(unit.showForBrokers),
    isAdminOnly: flag(unit.isAdminOnly),
    allowToTaskeen: flag(unit.allowToTaskeen),
    amenitiesIds: ids(unit.amenitiesIds),
    paymentPlansIds: ids(unit.paymentPlansIds),
    maintenancePlanIds: ids(unit.maintenancePlanIds),
    clubPlanIds: ids(unit.clubPlanIds),
    featuresIds: ids(unit.featuresIds),
    brokersIds: ids(unit.brokersIds),
    brokersGroupsIds: ids(unit.brokersGroupsIds),
    releaseIds: ids(unit.releaseIds),
    listingType: list(unit.listingType),
    addons: list(unit.addons),
    priceByPaymentPlan: list(unit.priceByPaymentPlan),
    ...populated(unit, references),
  };
}

function populated(unit, { amenities, phases, propertyTypes, unitDesigns }) {
  return {
    amenities: ids(unit.amenitiesIds)
      .map((id) => amenities.get(id))
      .filter(Boolean),
    phase: phases.get(hex(unit.locationId)) ?? null,
    type: propertyTypes.get(hex(unit.propertyTypeId)) ?? null,
    unitDesign: unitDesigns.get(hex(unit.unitDesignId)) ?? null,
  };
}

function presentPicture({ image, imageType, type }) {
  return { image: text(image), imageType: textOrNull(imageType), type: text(type) };
}

function presentReview(value) {
  return { hasIssue: number(value.hasIssue), type: text(value.type), ...review(value) };
}
