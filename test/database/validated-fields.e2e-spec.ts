import { describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { sharedService } from '../support/shared-service.js';

const { db } = sharedService();

const names = 'name.en-us name.ar-eg';
const texts = `${names} description.en-us description.ar-eg`;

/**
 * Fields on which other programs may rely, by accepted type: the platform's fields, and the fields of
 * compounds and units that the API writes. The conventional fields are omitted.
 */
const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organizations: {
    string: 'name logo apiDomain settings.phoneCountry',
    bool: 'settings.allowConflictLeads settings.clients.createFromLeads settings.clients.updateExisting',
    array: 'settings.clients.matchBy',
  },
  apiKeys: {
    string: 'name prefix permissions.visibility',
    bool: 'permissions.allowExternal permissions.readEvents',
    array: 'permissions.operations permissions.addresses permissions.origins',
    date: 'expiresAt revokedAt lastUsedAt',
  },
  users: { string: 'name' },
  leads: {
    number: 'leadId',
    string: 'recordSystemId',
    array: 'compoundsIds',
    object: 'data additionalData',
    objectId: 'clientId assignedToId parentId',
    bool: 'isActive',
  },
  clients: {
    string: 'name email',
    array: 'phoneNumbers',
  },
  changeLogs: {
    string: 'entity context modifier source',
    objectId: 'entityId',
    array: 'changes',
  },
  compounds: {
    string: `type mainImageUrl mainBannerUrl logo saleType slug ${texts}`,
    bool:
      'showOnMap isPublished isPublic mapHealthCheck isNewLaunch allowPriceRange showInLeadFeedback isAdminOnly ' +
      'showInEcommerce',
    number: 'area numberOfUnits __v',
    array:
      'media constructionUpdates brochures EOIUnitTypes EOIUnitPreferences EOIForm offerJsons commercialBuildingsOrder',
    object: 'mainBrochure',
  },
  phases: {
    string: `type mainImageUrl slug ${texts}`,
    number: 'landArea __v',
    array: 'media brochures',
    objectId: 'parentId',
  },
  propertyTypes: {
    string: `slug ${names}`,
    number: '__v',
    objectId: 'propertyTypeCategoryId',
  },
  unitDesigns: {
    string: `slug type reviewStatus approveStatus ${texts}`,
    number: 'bua bedrooms __v',
    array: 'media offerGallery amenitiesIds locationsIds addonsIds releaseIds',
    objectId: 'reviewedById approvedById',
    date: 'reviewedDate approvedDate',
  },
  amenities: {
    string: `icon fontColor backgroundColor ${names}`,
    number: '__v',
  },
  units: {
    string: `unitId status rentalStatus saleType slug recordSystemId ${names}`,
    bool: 'showForBrokers isAdminOnly allowToTaskeen',
    number: 'bua price beds __v',
    array:
      'paymentPlansIds maintenancePlanIds clubPlanIds amenitiesIds featuresIds brokersIds brokersGroupsIds ' +
      'listingType addons priceByPaymentPlan releaseIds media reviews',
    object: 'floor',
    objectId: 'compoundId locationId unitDesignId buildingId propertyTypeId finishingTypeId',
  },
  reservations: {
    string: 'recordSystemId status',
    bool: 'partnerCollection.isActive',
    objectId: 'unitId leadId',
    date: 'approvedAt canceledAt',
  },
  chequeWallets: {
    objectId: 'reservationId unitId',
    array: 'cheques cheques.statusHistory',
    string:
      'cheques.installmentId cheques.status cheques.chequeNumber cheques.statusHistory.status ' +
      'cheques.statusHistory.chequeNumber cheques.statusHistory.source',
    number: 'cheques.chequeAmount cheques.statusHistory.chequeAmount',
    date: 'cheques.dueDate cheques.statusHistory.changedAt',
  },
  webhookEndpoints: {
    string: 'url disabledReason',
    array: 'eventTypes',
    bool: 'isEnabled',
  },
};

/** Documents of these collections are never marked as deleted. */
const neverDeleted = ['apiKeys', 'changeLogs', 'users', 'webhookEndpoints'];

/** Returns the type that a validator requires at a dotted path. A list stands for its items. */
function typeAt(schema: Document, path: string): string[] | undefined {
  let node: Document | undefined = schema;
  for (const name of path.split('.')) {
    const parent: Document | undefined = (node?.['items'] as Document | undefined) ?? node;
    node = (parent?.['properties'] as Record<string, Document> | undefined)?.[name];
  }
  const types = node?.['bsonType'] as string | string[] | undefined;
  return types === undefined ? undefined : [types].flat().toSorted();
}

describe.each(Object.entries(fields))('the validator of %s', (collection, pathsByType) => {
  it('checks the type of every field of the contract', async () => {
    const [info] = await db.listCollections({ name: collection }).toArray();
    const { validator } = (info as { options?: Document }).options ?? {};
    const { $jsonSchema: schema } = validator as { $jsonSchema: Document };
    const isNeverDeleted = neverDeleted.includes(collection);
    const required = {
      createdAt: ['date'],
      updatedAt: ['date'],
      ...(isNeverDeleted ? {} : { isDeleted: ['bool'] }),
      ...(collection === 'organizations' ? {} : { organizationId: ['objectId'] }),
      ...(collection === 'apiKeys' ? { hash: ['string'] } : {}),
    };
    const optional = Object.entries(pathsByType).flatMap(([type, paths]) =>
      paths.split(' ').map((path): [string, string[]] => [path, [type, 'null'].toSorted()]),
    );
    const expected = {
      ...required,
      ...Object.fromEntries(optional),
      ...(isNeverDeleted ? {} : { deletedAt: ['date', 'null'] }),
    };
    const found = Object.keys(expected).map((path) => [path, typeAt(schema, path)]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(schema['required'].toSorted()).toEqual(['_id', ...Object.keys(required)].toSorted());
  });
});
