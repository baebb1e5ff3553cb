import type { Types } from 'mongoose';
import { AMENITIES, PROPERTY_TYPES } from './demo-catalogue-content.js';
import { COMPOUNDS } from './demo-compounds.js';
import {
  amenityIdsOf,
  approvedAt,
  assetUrl,
  compoundIdOf,
  idOf,
  locationIdOf,
  type Owner,
  picture,
  slugOf,
  storedFields,
} from './demo-documents.js';
import { homesOf, unitDocument } from './demo-units.js';
import type { CompoundContent } from './demo-catalogue-content.js';
import type { Brochure } from '../catalogue/collections/catalogue-document.js';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import type { PhaseDocument } from '../catalogue/collections/phase.schema.js';
import type { AmenityDocument } from '../catalogue/collections/amenity.schema.js';
import type { PropertyTypeDocument } from '../catalogue/collections/property-type.schema.js';
import type { UnitDesignDocument } from '../catalogue/collections/unit-design.schema.js';
import type { UnitDocument } from '../catalogue/collections/unit.schema.js';

/** The documents of the demo organization's catalogue, by collection. */
export interface DemoCatalogue {
  propertyTypes: PropertyTypeDocument[];
  amenities: AmenityDocument[];
  compounds: CompoundDocument[];
  phases: PhaseDocument[];
  unitDesigns: UnitDesignDocument[];
  units: UnitDocument[];
}

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
    slug: key,
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
