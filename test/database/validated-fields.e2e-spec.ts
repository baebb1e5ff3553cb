import { describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { sharedService } from '../support/shared-service.js';

const { db } = sharedService();

/**
 * Fields that other programs may rely on, by accepted type: the platform's, and the API's fields of compounds and
 * units.
 */
const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organizations: {
    string: 'name logo apiDomain settings.phoneCountry',
    bool: 'isDeleted settings.allowConflictLeads settings.clients.createFromLeads settings.clients.updateExisting',
    array: 'settings.clients.matchBy',
    date: 'createdAt updatedAt deletedAt',
  },
  apiKeys: {
    string: 'name prefix hash',
    bool: 'permissions.allowExternal permissions.readEvents',
    array: 'permissions.operations permissions.addresses',
    date: 'expiresAt revokedAt lastUsedAt createdAt updatedAt',
    objectId: 'organizationId',
  },
  users: { string: 'name', objectId: 'organizationId', date: 'createdAt updatedAt' },
  leads: {
    number: 'leadId',
    string: 'recordSystemId',
    array: 'compoundsIds',
    object: 'data additionalData',
    objectId: 'organizationId clientId assignedToId parentId',
    bool: 'isActive isDeleted',
    date: 'createdAt updatedAt deletedAt',
  },
  clients: {
    string: 'name email',
    array: 'phoneNumbers',
    objectId: 'organizationId',
    bool: 'isDeleted',
    date: 'createdAt updatedAt deletedAt',
  },
  changeLogs: {
    string: 'entity context modifier source',
    objectId: 'organizationId entityId',
    array: 'changes',
    date: 'createdAt updatedAt',
  },
  compounds: {
    string:
      'type mainImageUrl mainBannerUrl logo saleType slug name.en-us name.ar-eg description.en-us description.ar-eg',
    bool:
      'isDeleted showOnMap isPublished isPublic mapHealthCheck isNewLaunch allowPriceRange showInLeadFeedback ' +
      'isAdminOnly showInEcommerce',
    number: 'area numberOfUnits __v',
    array:
      'media constructionUpdates brochures EOIUnitTypes EOIUnitPreferences EOIForm offerJsons commercialBuildingsOrder',
    object: 'mainBrochure',
    objectId: 'organizationId',
    date: 'createdAt updatedAt deletedAt',
  },
  phases: {
    string: 'type mainImageUrl slug name.en-us name.ar-eg description.en-us description.ar-eg',
    number: 'landArea __v',
    array: 'media brochures',
    objectId: 'organizationId parentId',
    bool: 'isDeleted',
    date: 'createdAt updatedAt deletedAt',
  },
  propertyTypes: {
    string: 'slug name.en-us name.ar-eg',
    number: '__v',
    objectId: 'organizationId propertyTypeCategoryId',
    bool: 'isDeleted',
    date: 'createdAt updatedAt deletedAt',
  },
  unitDesigns: {
    string:
      'slug type reviewStatus approveStatus name.en-us name.ar-eg description.en-us description.ar-eg',
    number: 'bua bedrooms __v',
    array: 'media offerGallery amenitiesIds locationsIds addonsIds releaseIds',
    objectId: 'organizationId reviewedById approvedById',
    bool: 'isDeleted',
    date: 'reviewedDate approvedDate createdAt updatedAt deletedAt',
  },
  amenities: {
    string: 'icon fontColor backgroundColor name.en-us name.ar-eg',
    number: '__v',
    objectId: 'organizationId',
    bool: 'isDeleted',
    date: 'createdAt updatedAt deletedAt',
  },
  units: {
    string: 'unitId status rentalStatus saleType slug recordSystemId name.en-us name.ar-eg',
    bool: 'isDeleted showForBrokers isAdminOnly allowToTaskeen',
    number: 'bua price beds __v',
    array:
      'paymentPlansIds maintenancePlanIds clubPlanIds amenitiesIds featuresIds brokersIds brokersGroupsIds ' +
      'listingType addons priceByPaymentPlan releaseIds media reviews',
    object: 'floor',
    objectId:
      'organizationId compoundId locationId unitDesignId buildingId propertyTypeId finishingTypeId',
    date: 'createdAt updatedAt deletedAt',
  },
  reservations: {
    string: 'recordSystemId status',
    bool: 'partnerCollection.isActive isDeleted',
    objectId: 'organizationId unitId leadId',
    date: 'approvedAt canceledAt createdAt updatedAt deletedAt',
  },
  chequeWallets: {
    objectId: 'organizationId reservationId unitId',
    bool: 'isDeleted',
    array: 'cheques cheques.statusHistory',
    string:
      'cheques.installmentId cheques.status cheques.chequeNumber cheques.statusHistory.status ' +
      'cheques.statusHistory.chequeNumber cheques.statusHistory.source',
    number: 'cheques.chequeAmount cheques.statusHistory.chequeAmount',
    date: 'createdAt updatedAt deletedAt cheques.dueDate cheques.statusHistory.changedAt',
  },
  webhookEndpoints: {
    string: 'url disabledReason',
    array: 'eventTypes',
    bool: 'isEnabled',
    objectId: 'organizationId',
    date: 'createdAt updatedAt',
  },
};

const required: Readonly<Record<string, string>> = {
  organizations: 'isDeleted createdAt updatedAt',
  apiKeys: 'organizationId hash createdAt updatedAt',
};

/** The type that a validator has for a dotted path, whose lists stand for their items. */
function typeAt(schema: Document, path: string): string[] | undefined {
  let node: Document | undefined = schema;
  for (const name of path.split('.')) {
    const parent: Document | undefined = (node?.['items'] as Document | undefined) ?? node;
    node = (parent?.['properties'] as Record<string, Document> | undefined)?.[name];
  }
  const types = node?.['bsonType'] as string | string[] | undefined;
  return types === undefined ? undefined : [types].flat().toSorted();
}

describe.each(Object.entries(fields))('the validator of %s', (collection, byType) => {
  it('checks the type of every field of the contract', async () => {
    const [info] = await db.listCollections({ name: collection }).toArray();
    const { validator } = (info as { options?: Document }).options ?? {};
    const { $jsonSchema: schema } = validator as { $jsonSchema: Document };
    const always = (schema['required'] as string[]).toSorted();
    for (const [type, paths] of Object.entries(byType)) {
      for (const path of paths.split(' ')) {
        const types = always.includes(path) ? [type] : [type, 'null'].toSorted();
        expect([path, typeAt(schema, path)]).toEqual([path, types]);
      }
    }
    const conventions = 'organizationId createdAt updatedAt'.split(' ');
    const names = Object.values(byType).join(' ').split(' ');
    const needed =
      required[collection]?.split(' ') ??
      (names.includes('isDeleted') ? [...conventions, 'isDeleted'] : conventions);
    expect(always.filter((name) => name !== '_id')).toEqual(needed.toSorted());
  });
});
