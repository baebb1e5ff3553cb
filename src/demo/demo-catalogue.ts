import { createHash } from 'node:crypto';
import { Types } from 'mongoose';
import { AMENITIES, COMPOUNDS, PROPERTY_TYPES } from './demo-catalogue-content.js';
import type {
  AmenityKey,
  CompoundContent,
  DesignContent,
  Floors,
} from './demo-catalogue-content.js';
import type {
  Brochure,
  CatalogueDocument,
  MediaItem,
  ReviewState,
} from '../compounds/catalogue-document.js';
import type { CompoundDocument } from '../compounds/compound.schema.js';
import type { PhaseDocument } from '../compounds/phase.schema.js';
import type { Localized } from '../localization/localized.js';
import type { AmenityDocument } from '../units/amenity.schema.js';
import type { PropertyTypeDocument } from '../units/property-type.schema.js';
import type { UnitDesignDocument } from '../units/unit-design.schema.js';
import type { UnitDocument, UnitMediaItem, UnitReview } from '../units/unit.schema.js';

/** The documents of the demo organization's catalogue, by collection. */
export interface DemoCatalogue {
  propertyTypes: PropertyTypeDocument[];
  amenities: AmenityDocument[];
  compounds: CompoundDocument[];
  phases: PhaseDocument[];
  unitDesigns: UnitDesignDocument[];
  units: UnitDocument[];
}

interface Owner {
  organizationId: Types.ObjectId;
  now: Date;
}

interface Home {
  compound: CompoundContent;
  designSlug: string;
  design: DesignContent;
  floor: Floors[number];
  position: number;
}

const DAY = 24 * 60 * 60 * 1000;
const STATUSES = ['Available', 'Sold', 'Available', 'Available', 'Reserved', 'Sold', 'Available'];
const NOT_REVIEWED: ReviewState = {
  approveStatus: 'Pending',
  approvedById: null,
  approvedDate: null,
  reviewStatus: 'Pending',
  reviewedById: null,
  reviewedDate: null,
};

/**
 * The demo catalogue of an organization as it stands at `now`. The same organization always gets
 * the same ids, so that writing the catalogue again replaces it.
 */
export function demoCatalogue(organizationId: Types.ObjectId, now: Date): DemoCatalogue {
  const owner: Owner = { organizationId, now };
  return {
    propertyTypes: propertyTypesOf(owner),
    amenities: amenitiesOf(owner),
    compounds: COMPOUNDS.map((compound, index) => compoundDocument(owner, compound, index)),
    phases: COMPOUNDS.flatMap((compound) => phasesOf(owner, compound)),
    unitDesigns: COMPOUNDS.flatMap((compound) => unitDesignsOf(owner, compound)),
    units: COMPOUNDS.flatMap(homesOf).map((home, index) => unitDocument(owner, home, index)),
  };
}

function propertyTypesOf(owner: Owner): PropertyTypeDocument[] {
  return Object.entries(PROPERTY_TYPES).map(([slug, { name, category }], index) => ({
    ...storedFields(owner, { kind: 'propertyType', slug, ageInDays: 730 - index }),
    propertyTypeCategoryId: idOf(owner, 'propertyTypeCategory', category),
    name,
    slug,
  }));
}

function amenitiesOf(owner: Owner): AmenityDocument[] {
  return Object.entries(AMENITIES).map(([key, amenity], index) => ({
    ...storedFields(owner, { kind: 'amenity', slug: key, ageInDays: 700 - index }),
    ...amenity,
    icon: assetUrl(`icons/amenities/${key}.svg`),
  }));
}

function compoundDocument(
  owner: Owner,
  compound: CompoundContent,
  index: number,
): CompoundDocument {
  const slug = slugOf(compound);
  const stored = storedFields(owner, { kind: 'compound', slug, ageInDays: 640 - index * 45 });
  return {
    ...stored,
    type: 'Compound',
    name: compound.name,
    description: compound.description,
    slug,
    saleType: compound.sale.type,
    ...compound.size,
    ...compoundAssets(compound, stored.createdAt),
    ...compoundSwitches(compound),
    EOIUnitTypes: [],
    EOIUnitPreferences: [],
    EOIForm: [],
    offerJsons: [],
    commercialBuildingsOrder: [],
  };
}

function compoundAssets({ key, name, sale }: CompoundContent, dateUploaded: Date) {
  const folder = `compounds/${key}`;
  const mainBrochure: Brochure = {
    dateUploaded,
    name: `${name['en-us']} Master Plan`,
    url: assetUrl(`${folder}/brochure.pdf`),
  };
  return {
    logo: assetUrl(`${folder}/logo.png`),
    mainImageUrl: assetUrl(`${folder}/main.jpg`),
    mainBannerUrl: assetUrl(`${folder}/banner.jpg`),
    media: ['entrance', 'aerial', 'street'].map((view) => picture(`${folder}/${view}.jpg`)),
    constructionUpdates: sale.isNewLaunch ? [] : [picture(`${folder}/construction-1.jpg`)],
    mainBrochure,
    brochures: [mainBrochure],
  };
}

function compoundSwitches({ sale }: CompoundContent) {
  return {
    showOnMap: true,
    isPublished: true,
    isPublic: true,
    mapHealthCheck: true,
    isNewLaunch: sale.isNewLaunch,
    allowPriceRange: sale.type === 'primary',
    showInLeadFeedback: true,
    isAdminOnly: false,
    showInEcommerce: sale.type === 'primary',
  };
}

function phasesOf(owner: Owner, compound: CompoundContent): PhaseDocument[] {
  return Object.entries(compound.phases).map(([phaseSlug, phase], index) => {
    const slug = `${compound.key}-${phaseSlug}`;
    return {
      ...storedFields(owner, { kind: 'phase', slug, ageInDays: 400 - index * 30 }),
      parentId: compoundIdOf(owner, compound),
      type: 'Phase',
      slug,
      ...phase,
      mainImageUrl: assetUrl(`phases/${slug}/main.jpg`),
      media: [picture(`phases/${slug}/overview.jpg`)],
      brochures: [],
    };
  });
}

function unitDesignsOf(owner: Owner, compound: CompoundContent): UnitDesignDocument[] {
  return Object.entries(compound.designs).map(([designSlug, design], index) => {
    const slug = `${compound.key}-${designSlug}`;
    const stored = storedFields(owner, { kind: 'unitDesign', slug, ageInDays: 330 - index * 4 });
    return {
      ...stored,
      type: PROPERTY_TYPES[design.home.propertyType].name['en-us'],
      name: design.name,
      description: design.description,
      slug,
      bua: design.home.bua,
      bedrooms: design.home.bedrooms,
      media: [picture(`designs/${slug}/living-room.jpg`), picture(`designs/${slug}/facade.jpg`)],
      offerGallery: [picture(`designs/${slug}/offer.jpg`)],
      amenitiesIds: amenityIdsOf(owner, compound.amenities),
      locationsIds: [locationIdOf(owner, compound, design)],
      addonsIds: [],
      releaseIds: [],
      ...approvedAt(stored.updatedAt),
    };
  });
}

function homesOf(compound: CompoundContent): Home[] {
  return Object.entries(compound.designs).flatMap(([designSlug, design]) =>
    design.block.floors.flatMap((floor) =>
      Array.from({ length: design.block.unitsPerFloor }, (_, index) => {
        return { compound, designSlug, design, floor, position: index + 1 };
      }),
    ),
  );
}

function unitDocument(owner: Owner, home: Home, index: number): UnitDocument {
  const { compound, design, floor } = home;
  const unitId = unitIdOf(home);
  const slug = unitId.toLowerCase();
  const bua = design.home.bua + (index % 3) * 2;
  const stored = storedFields(owner, { kind: 'unit', slug, ageInDays: 15 + ((index * 37) % 280) });
  return {
    ...stored,
    ...unitReferences(owner, home, index),
    ...(index % 2 === 0 && { recordSystemId: `ERP-${unitId}` }),
    unitId,
    name: withSuffix(design.name, unitId),
    slug,
    status: STATUSES[index % STATUSES.length] ?? 'Available',
    rentalStatus: 'Unavailable',
    saleType: compound.sale.type,
    bua,
    price: priceOf(home, bua),
    beds: design.home.bedrooms,
    floor: { name: floor.name },
    media: index % 3 === 2 ? [] : unitMedia(home),
    reviews: index % 4 === 0 ? unitReviews(stored.updatedAt) : [],
    ...unitDefaults(),
  };
}

function unitReferences(owner: Owner, { compound, designSlug, design }: Home, index: number) {
  const { home, block } = design;
  const finishing = home.propertyType === 'chalet' ? 'fully-finished' : 'semi-finished';
  return {
    compoundId: compoundIdOf(owner, compound),
    locationId: locationIdOf(owner, compound, design),
    unitDesignId: idOf(owner, 'unitDesign', `${compound.key}-${designSlug}`),
    buildingId: idOf(owner, 'building', `${compound.key}-${block.building}`),
    propertyTypeId: idOf(owner, 'propertyType', home.propertyType),
    finishingTypeId: idOf(owner, 'finishingType', finishing),
    amenitiesIds: amenityIdsOf(owner, compound.amenities.slice(0, 2 + (index % 3))),
  };
}

function unitDefaults() {
  return {
    showForBrokers: true,
    isAdminOnly: false,
    allowToTaskeen: false,
    paymentPlansIds: [],
    maintenancePlanIds: [],
    clubPlanIds: [],
    featuresIds: [],
    brokersIds: [],
    brokersGroupsIds: [],
    releaseIds: [],
    listingType: ['sale'],
    addons: [],
    priceByPaymentPlan: [],
  };
}

function priceOf({ compound, design, floor, position }: Home, bua: number): number {
  const { priceFactor } = PROPERTY_TYPES[design.home.propertyType];
  const premium = 1 + floor.level * 0.015 + (position % 3) * 0.01;
  const price = bua * compound.sale.pricePerSquareMeter * priceFactor * premium;
  return Math.round(price / 10_000) * 10_000;
}

function unitIdOf({ compound, design, floor, position }: Home): string {
  const number = `${floor.level}${String(position).padStart(2, '0')}`;
  return `${compound.code}-${design.block.building}-${number}`;
}

function unitMedia({ compound, designSlug }: Home): UnitMediaItem[] {
  const folder = `designs/${compound.key}-${designSlug}`;
  return [
    { ...picture(`${folder}/floorplan.png`), imageType: 'floorplan' },
    { ...picture(`${folder}/living-room.jpg`), imageType: null },
  ];
}

function unitReviews(reviewedAt: Date): UnitReview[] {
  return [
    { hasIssue: 0, type: 'unitDesign', ...approvedAt(reviewedAt) },
    { hasIssue: 0, type: 'paymentPlan', ...NOT_REVIEWED },
  ];
}

function approvedAt(date: Date): ReviewState {
  return {
    ...NOT_REVIEWED,
    approveStatus: 'Approved',
    approvedDate: date,
    reviewStatus: 'Reviewed',
    reviewedDate: date,
  };
}

function storedFields(
  owner: Owner,
  { kind, slug, ageInDays }: { kind: string; slug: string; ageInDays: number },
): CatalogueDocument {
  const createdAt = owner.now.getTime() - ageInDays * DAY;
  const untouchedDays = ageInDays % 10;
  return {
    _id: idOf(owner, kind, slug),
    organizationId: owner.organizationId,
    isDeleted: false,
    createdAt: new Date(createdAt),
    updatedAt: new Date(createdAt + untouchedDays * DAY),
    __v: 0,
  };
}

function idOf({ organizationId }: Owner, kind: string, slug: string): Types.ObjectId {
  const digest = createHash('sha256').update(`${organizationId.toHexString()}/${kind}/${slug}`);
  return new Types.ObjectId(digest.digest('hex').slice(0, 24));
}

function compoundIdOf(owner: Owner, compound: CompoundContent): Types.ObjectId {
  return idOf(owner, 'compound', slugOf(compound));
}

function locationIdOf(owner: Owner, compound: CompoundContent, { block }: DesignContent) {
  if (block.phase === undefined) return compoundIdOf(owner, compound);
  return idOf(owner, 'phase', `${compound.key}-${block.phase}`);
}

function amenityIdsOf(owner: Owner, keys: readonly AmenityKey[]): Types.ObjectId[] {
  return keys.map((key) => idOf(owner, 'amenity', key));
}

function slugOf({ key, slug }: CompoundContent): string {
  return slug ?? key;
}

function withSuffix(name: Localized, suffix: string): Localized {
  const arabic = name['ar-eg'];
  return {
    'en-us': `${name['en-us']} ${suffix}`,
    ...(arabic !== undefined && { 'ar-eg': `${arabic} ${suffix}` }),
  };
}

function picture(path: string): MediaItem {
  return { image: assetUrl(path), type: 'image' };
}

function assetUrl(path: string): string {
  return `https://cdn.example.com/${path}`;
}
