// Compounds of about 2.5 KB and units of about 4 KB, as their responses show them.
import { compoundName, idOf, loadedAt, numberOf } from './names.mjs';
import { sizes } from './sizes.mjs';

/** The compound with 300 units, and the one with the next 10,000; further ones have as many. */
export const garden = { slug: 'residence-0', number: 0, firstUnit: 0, units: 300 };
export const city = { slug: 'residence-1', number: 1, firstUnit: 300, units: 10_000 };

/** When the units changed that pollers ask for, always the same number of them. */
export const changedAt = new Date('2026-02-01T08:00:00.000Z');
const changedUnits = 100;

/** A phase needs a compound: as many of them as have units at the largest size. */
const compoundsWithPhases = 12;
const counts = { amenities: 12, propertyTypes: 5, unitDesigns: 30, phases: 5 };
const cdn = 'https://cdn.example.com/catalogue';

const statuses = ['Available', 'Reserved', 'Sold'];

/** The documents of the catalogue of an organization by collection, except units. */
export function catalogueOf(organization) {
  if (organization > 0) {
    return { compounds: many(sizes.compoundsOfSmall, (index) => compound(organization, index)) };
  }
  return {
    compounds: many(sizes.compounds, (index) => compound(0, index)),
    amenities: many(counts.amenities, amenity),
    propertyTypes: many(counts.propertyTypes, propertyType),
    unitDesigns: many(counts.unitDesigns, unitDesign),
    phases: many(compoundsWithPhases * counts.phases, phase),
  };
}

function many(count, make) {
  return Array.from({ length: count }, (_, index) => make(index));
}

function common(kind, number, organization = 0, place = number) {
  const at = new Date(loadedAt.getTime() + place * 1_000);
  return {
    _id: idOf(kind, number),
    organizationId: idOf('organization', organization),
    isDeleted: false,
    createdAt: at,
    updatedAt: at,
    __v: 0,
  };
}

function localized(text) {
  return { 'en-us': text, 'ar-eg': `${text} بالعربية` };
}

function pictures(folder, count) {
  return many(count, (index) => ({
    image: `${cdn}/${folder}/picture-${index}.jpg`,
    type: 'image',
  }));
}

function brochure(folder, name) {
  return { dateUploaded: loadedAt, name, url: `${cdn}/${folder}/${name}.pdf` };
}

function compound(organization, index) {
  const number = numberOf(organization, index);
  const slug = organization === 0 ? `residence-${index}` : `village-${organization}-${index}`;
  return {
    ...common('compound', number, organization, index),
    type: 'Compound',
    name: localized(compoundName(organization, index)),
    slug,
    description: localized('Villas and flats around a lake, with a school and a club. '.repeat(5)),
    saleType: 'primary',
    logo: `${cdn}/${slug}/logo.png`,
    mainImageUrl: `${cdn}/${slug}/main.jpg`,
    mainBannerUrl: `${cdn}/${slug}/banner.jpg`,
    media: pictures(slug, 8),
    constructionUpdates: pictures(`${slug}/construction`, 3),
    mainBrochure: brochure(slug, 'Master plan'),
    brochures: [brochure(slug, 'Master plan'), brochure(slug, 'Prices')],
    area: 100_000 + index,
    numberOfUnits: 300,
    showOnMap: true,
    isPublished: true,
    isPublic: true,
    mapHealthCheck: true,
    isNewLaunch: index % 2 === 0,
    allowPriceRange: false,
    showInLeadFeedback: true,
    isAdminOnly: false,
    showInEcommerce: true,
    EOIUnitTypes: ['Villa', 'Flat'],
    EOIUnitPreferences: ['Garden'],
    EOIForm: [],
    offerJsons: [],
    commercialBuildingsOrder: [1, 2],
  };
}

function amenity(index) {
  return {
    ...common('amenity', index),
    name: localized(`Amenity ${index}`),
    slug: `amenity-${index}`,
    icon: `${cdn}/amenities/${index}.svg`,
    fontColor: '#0B4F6C',
    backgroundColor: '#DFF3FA',
  };
}

function propertyType(index) {
  return {
    ...common('propertyType', index),
    name: localized(`Type ${index}`),
    slug: `type-${index}`,
    propertyTypeCategoryId: idOf('propertyType', 100),
  };
}

function phase(number) {
  return {
    ...common('phase', number),
    parentId: idOf('compound', Math.floor(number / counts.phases)),
    type: 'Phase',
    name: localized(`Phase ${number}`),
    slug: `phase-${number}`,
    description: localized('The houses by the lake.'),
    landArea: 90_000,
    mainImageUrl: `${cdn}/phases/${number}/main.jpg`,
    media: pictures(`phases/${number}`, 2),
    brochures: [brochure(`phases/${number}`, 'Plan')],
  };
}

const reviewed = {
  approveStatus: 'Approved',
  approvedById: null,
  approvedDate: loadedAt,
  reviewStatus: 'Reviewed',
  reviewedById: null,
  reviewedDate: loadedAt,
};

function unitDesign(index) {
  return {
    ...common('unitDesign', index),
    ...reviewed,
    name: localized(`Design ${index}`),
    slug: `design-${index}`,
    description: localized('Three bedrooms and a garden.'),
    bua: 200 + index,
    bedrooms: index % 5,
    media: pictures(`designs/${index}`, 2),
    offerGallery: pictures(`designs/${index}/offers`, 1),
    amenitiesIds: [0, 1, 2].map((number) => idOf('amenity', number)),
    locationsIds: [idOf('phase', 0)],
    addonsIds: [],
    releaseIds: [],
    type: 'Villa',
  };
}

/** A unit of the large organization. */
export function unit(place) {
  const number = place < garden.units ? 0 : 1 + Math.floor((place - garden.units) / city.units);
  const index = place - (number === 0 ? 0 : garden.units + (number - 1) * city.units);
  return {
    ...common('unit', place),
    ...(place < changedUnits ? { updatedAt: changedAt } : {}),
    compoundId: idOf('compound', number),
    locationId: idOf('phase', number * counts.phases + (index % counts.phases)),
    unitDesignId: idOf('unitDesign', index % counts.unitDesigns),
    propertyTypeId: idOf('propertyType', index % counts.propertyTypes),
    recordSystemId: `erp-${place}`,
    unitId: `U-${place}`,
    slug: `unit-${place}`,
    name: localized(`Unit ${place}`),
    status: statuses[index % statuses.length],
    rentalStatus: 'Unavailable',
    saleType: 'primary',
    bua: 100 + (index % 200),
    price: 1_000_000 + ((place * 7_919) % 1_000_000),
    beds: index % 5,
    floor: { name: 'Ground' },
    media: pictures(`units/${place}`, 2).map((item) => ({ ...item, imageType: null })),
    reviews: [{ ...reviewed, hasIssue: 0, type: 'unitDesign' }],
    showForBrokers: true,
    isAdminOnly: false,
    allowToTaskeen: false,
    amenitiesIds: many(4, (shift) => idOf('amenity', (index + shift) % counts.amenities)),
    paymentPlansIds: [idOf('amenity', 100)],
    listingType: ['sale'],
  };
}
