import type {
  UnitDocument,
  UnitMediaItem,
  UnitReview,
} from '../catalogue/collections/unit.schema.js';
import type { CompoundContent, DesignContent, Floors } from './demo-catalogue-content.js';
import { PROPERTY_TYPES } from './demo-catalogue-content.js';
import {
  amenityIdsOf,
  approvedAt,
  compoundIdOf,
  idOf,
  locationIdOf,
  notReviewed,
  type Owner,
  picture,
  storedFields,
  withSuffix,
} from './demo-documents.js';

/** A place for one unit: a floor of a building, or a house in a row. */
export interface Home {
  compound: CompoundContent;
  designSlug: string;
  design: DesignContent;
  floor: Floors[number];
  position: number;
}

const STATUSES = ['Available', 'Sold', 'Available', 'Available', 'Reserved', 'Sold', 'Available'];

/** The units that a compound has room for. */
export function homesOf(compound: CompoundContent): Home[] {
  return Object.entries(compound.designs).flatMap(([designSlug, design]) =>
    design.block.floors.flatMap((floor) =>
      Array.from({ length: design.block.unitsPerFloor }, (_, index) => {
        return { compound, designSlug, design, floor, position: index + 1 };
      }),
    ),
  );
}

/** The slug of the unit in a place. */
export function slugOf(home: Home): string {
  return unitIdOf(home).toLowerCase();
}

/** The document of a unit; `index` counts through the whole catalogue. */
export function unitDocument(owner: Owner, home: Home, index: number): UnitDocument {
  const { compound, design, floor } = home;
  const unitId = unitIdOf(home);
  const slug = slugOf(home);
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
    { hasIssue: 0, type: 'paymentPlan', ...notReviewed },
  ];
}
