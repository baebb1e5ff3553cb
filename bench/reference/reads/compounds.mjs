import { pageOf, paginationOf, sendTagged } from './lists.mjs';
import { brochure, common, flag, hex, list, localized, number, pictures, text } from './values.mjs';

/** `GET /compounds`. */
export function addCompounds(routes, db) {
  const compounds = db.collection('compounds');
  const organizations = db.collection('organizations');
  routes.get('/compounds', async (request, reply) => {
    const { organizationId, language } = request.caller;
    const filter = { organizationId, isDeleted: false };
    const { skip, limit } = pageOf(request.query);
    const found = compounds
      .find(filter, { sort: { createdAt: -1, _id: -1 }, skip, limit })
      .toArray();
    const [total, documents, organization] = await Promise.all([
      compounds.countDocuments(filter),
      found,
      organizations.findOne({ _id: organizationId }),
    ]);
    const shown = {
      _id: organizationId.toHexString(),
      name: text(organization?.name),
      logo: text(organization?.logo),
    };
    const data = documents.map((compound) => presentCompound(compound, language, shown));
    const pagination = paginationOf(data.length, limit, total);
    return sendTagged(request, reply, JSON.stringify({ data, pagination }));
  });
}

function presentCompound(compound, language, organization) {
  return {
    ...common(compound),
    organizationId: hex(compound.organizationId),
    type: text(compound.type),
    name: localized(compound.name, language),
    slug: text(compound.slug),
    description: localized(compound.description, language),
    saleType: text(compound.saleType),
    logo: text(compound.logo),
    mainImageUrl: text(compound.mainImageUrl),
    mainBannerUrl: text(compound.mainBannerUrl),
    media: pictures(compound.media),
    constructionUpdates: pictures(compound.constructionUpdates),
    mainBrochure: brochure(compound.mainBrochure),
    brochures: list(compound.brochures).map(brochure),
    area: number(compound.area),
    numberOfUnits: number(compound.numberOfUnits),
    showOnMap: flag(compound.showOnMap),
    isPublished: flag(compound.isPublished),
    isPublic: flag(compound.isPublic),
    mapHealthCheck: flag(compound.mapHealthCheck),
    isNewLaunch: flag(compound.isNewLaunch),
    allowPriceRange: flag(compound.allowPriceRange),
    showInLeadFeedback: flag(compound.showInLeadFeedback),
    isAdminOnly: flag(compound.isAdminOnly),
    showInEcommerce: flag(compound.showInEcommerce),
    EOIUnitTypes: list(compound.EOIUnitTypes),
    EOIUnitPreferences: list(compound.EOIUnitPreferences),
    EOIForm: list(compound.EOIForm),
    offerJsons: list(compound.offerJsons),
    commercialBuildingsOrder: list(compound.commercialBuildingsOrder),
    organization,
  };
}
