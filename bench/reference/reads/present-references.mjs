import {
  brochure,
  common,
  hex,
  ids,
  list,
  localized,
  number,
  pictures,
  review,
  text,
} from './values.mjs';

export function presentAmenity(amenity, language) {
  return {
    ...common(amenity),
    name: localized(amenity.name, language),
    icon: text(amenity.icon),
    fontColor: text(amenity.fontColor),
    backgroundColor: text(amenity.backgroundColor),
  };
}

export function presentPhase(phase, language) {
  return {
    ...common(phase),
    organizationId: hex(phase.organizationId),
    parentId: hex(phase.parentId),
    type: text(phase.type),
    landArea: number(phase.landArea),
    mainImageUrl: text(phase.mainImageUrl),
    media: pictures(phase.media),
    brochures: list(phase.brochures).map(brochure),
    name: localized(phase.name, language),
    slug: text(phase.slug),
    description: localized(phase.description, language),
  };
}

export function presentType(type, language) {
  return {
    ...common(type),
    propertyTypeCategoryId: hex(type.propertyTypeCategoryId),
    organizationId: hex(type.organizationId),
    name: localized(type.name, language),
    slug: text(type.slug),
  };
}

export function presentDesign(design, language) {
  return {
    ...common(design),
    ...review(design),
    organizationId: hex(design.organizationId),
    name: localized(design.name, language),
    slug: text(design.slug),
    description: localized(design.description, language),
    bua: number(design.bua),
    bedrooms: number(design.bedrooms),
    media: pictures(design.media),
    offerGallery: pictures(design.offerGallery),
    amenitiesIds: ids(design.amenitiesIds),
    locationsIds: ids(design.locationsIds),
    addonsIds: ids(design.addonsIds),
    releaseIds: ids(design.releaseIds),
    type: text(design.type),
  };
}
