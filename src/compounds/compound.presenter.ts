import { flagOf, idOf, listOf, numberOf, textOf } from '../database/documents/stored-values.js';
import type { Language } from '../localization/language.js';
import { textIn } from '../localization/localized.js';
import {
  presentBrochure,
  presentBrochures,
  type PresentedBrochure,
  type PresentedMedia,
  type PresentedRecord,
  presentMedia,
  presentRecord,
} from '../catalogue/presenting/catalogue.presenter.js';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';

/** The organization of a compound as it is shown. */
export interface PresentedOrganization {
  readonly _id: string;
  readonly name: string;
  readonly logo: string;
}

/** A compound as the API shows it (section 2.5). */
export interface PresentedCompound extends PresentedRecord {
  readonly organizationId: string;
  readonly type: string;
  readonly mainImageUrl: string;
  readonly mainBannerUrl: string;
  readonly logo: string;
  readonly saleType: string;
  readonly description: string;
  readonly name: string;
  readonly slug: string;
  readonly showOnMap: boolean;
  readonly isPublished: boolean;
  readonly isPublic: boolean;
  readonly mapHealthCheck: boolean;
  readonly isNewLaunch: boolean;
  readonly allowPriceRange: boolean;
  readonly showInLeadFeedback: boolean;
  readonly isAdminOnly: boolean;
  readonly showInEcommerce: boolean;
  readonly area: number;
  readonly numberOfUnits: number;
  readonly media: readonly PresentedMedia[];
  readonly constructionUpdates: readonly PresentedMedia[];
  readonly mainBrochure: PresentedBrochure;
  readonly brochures: readonly PresentedBrochure[];
  readonly EOIUnitTypes: readonly unknown[];
  readonly EOIUnitPreferences: readonly unknown[];
  readonly EOIForm: readonly unknown[];
  readonly offerJsons: readonly unknown[];
  readonly commercialBuildingsOrder: readonly unknown[];
  readonly organization: PresentedOrganization;
}

/** What leaves the service of a compound. */
export function presentCompound(
  compound: CompoundDocument,
  organization: PresentedOrganization,
  language: Language,
): PresentedCompound {
  return {
    ...presentRecord(compound),
    organizationId: idOf(compound.organizationId),
    type: textOf(compound.type),
    name: textIn(compound.name, language),
    slug: textOf(compound.slug),
    description: textIn(compound.description, language),
    saleType: textOf(compound.saleType),
    logo: textOf(compound.logo),
    mainImageUrl: textOf(compound.mainImageUrl),
    mainBannerUrl: textOf(compound.mainBannerUrl),
    media: presentMedia(compound.media),
    constructionUpdates: presentMedia(compound.constructionUpdates),
    mainBrochure: presentBrochure(compound.mainBrochure),
    brochures: presentBrochures(compound.brochures),
    area: numberOf(compound.area),
    numberOfUnits: numberOf(compound.numberOfUnits),
    ...presentSwitches(compound),
    EOIUnitTypes: listOf(compound.EOIUnitTypes),
    EOIUnitPreferences: listOf(compound.EOIUnitPreferences),
    EOIForm: listOf(compound.EOIForm),
    offerJsons: listOf(compound.offerJsons),
    commercialBuildingsOrder: listOf(compound.commercialBuildingsOrder),
    organization,
  };
}

function presentSwitches(compound: CompoundDocument) {
  return {
    showOnMap: flagOf(compound.showOnMap),
    isPublished: flagOf(compound.isPublished),
    isPublic: flagOf(compound.isPublic),
    mapHealthCheck: flagOf(compound.mapHealthCheck),
    isNewLaunch: flagOf(compound.isNewLaunch),
    allowPriceRange: flagOf(compound.allowPriceRange),
    showInLeadFeedback: flagOf(compound.showInLeadFeedback),
    isAdminOnly: flagOf(compound.isAdminOnly),
    showInEcommerce: flagOf(compound.showInEcommerce),
  };
}
