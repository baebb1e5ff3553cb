// Loads the fixed data, through the validators of the service.
import { catalogueOf } from './catalogue.mjs';
import { finishedDeliveries } from './deliveries.mjs';
import { apiKeyOf, hashOf, idOf, loadedAt } from './names.mjs';
import { peopleOf, reservations } from './people.mjs';
import { sizes } from './sizes.mjs';

const batchSize = 5_000;

/** Fills a database that has the service's collections, validators and indexes, and nothing else. */
export async function loadData(db) {
  for (let organization = 0; organization <= sizes.smallOrganizations; organization++) {
    await loadOrganization(db, organization);
  }
  for (const [name, documents] of Object.entries(reservations())) await insert(db, name, documents);
  await loadDeliveries(db, sizes.finishedDeliveries);
}

async function loadOrganization(db, organization) {
  for (const [name, documents] of Object.entries(documentsOf(organization))) {
    await insert(db, name, documents);
  }
}

/** All documents of an organization, but for reservations and deliveries, by collection. */
export function documentsOf(organization) {
  const _id = idOf('organization', organization);
  const times = { createdAt: loadedAt, updatedAt: loadedAt };
  return {
    organizations: [
      {
        _id,
        name: `Organization ${organization}`,
        logo: 'https://cdn.example.com/logo.png',
        isDeleted: false,
        settings: {},
        ...times,
      },
    ],
    apiKeys: [apiKey(organization, times)],
    ...catalogueOf(organization),
    ...peopleOf(organization),
  };
}

function apiKey(organization, times) {
  const key = apiKeyOf(organization);
  return {
    _id: idOf('apiKey', organization),
    organizationId: idOf('organization', organization),
    name: 'Bench',
    prefix: key.slice(0, 11),
    hash: hashOf(key),
    permissions: { allowExternal: true },
    revokedAt: null,
    lastUsedAt: null,
    ...times,
  };
}

export async function loadDeliveries(db, count) {
  await withoutIndexes(db, 'webhookDeliveries', () =>
    db.aggregate(finishedDeliveries(new Date(), count)).toArray(),
  );
}

/** Indexes are built over what was loaded, which takes a fraction of keeping them up to date. */
export async function withoutIndexes(db, name, load) {
  const collection = db.collection(name);
  const indexes = (await collection.indexes()).filter((index) => index.name !== '_id_');
  await collection.dropIndexes();
  await load();
  await collection.createIndexes(indexes.map(({ v: _version, ...index }) => index));
}

export async function insert(db, collection, documents) {
  for (let from = 0; from < documents.length; from += batchSize) {
    const batch = documents.slice(from, from + batchSize);
    await db.collection(collection).insertMany(batch, { ordered: false });
  }
}
