// Loads the fixed data, through the validators of the service.
import { catalogueOf, unit } from './catalogue.mjs';
import { finishedDeliveries } from './deliveries.mjs';
import { apiKeyOf, hashOf, idOf, loadedAt } from './names.mjs';
import { changeLog, client, lead, peopleOf, reservation, wallet } from './people.mjs';
import { sizes, useSizes } from './sizes.mjs';

const batchSize = 5_000;

/** Fills a database that has the service's collections, validators and indexes, and nothing else. */
export async function loadData(db, chosen = {}) {
  useSizes(chosen);
  for (let organization = 0; organization <= sizes.smallOrganizations; organization++) {
    for (const [name, documents] of Object.entries(documentsOf(organization))) {
      await insert(db, name, documents.length, (index) => documents[index]);
    }
  }
  const { leads, units, reservations, deliveries } = sizes;
  await loadMany(db, 'leads', leads, (index) => lead(0, index));
  await loadMany(db, 'clients', leads, (index) => client(0, index));
  await loadMany(db, 'changeLogs', leads, changeLog);
  await loadMany(db, 'units', units, unit);
  await loadMany(db, 'reservations', reservations, reservation);
  await loadMany(db, 'chequeWallets', reservations, wallet);
  await withoutIndexes(db, 'webhookDeliveries', () =>
    db.aggregate(finishedDeliveries(new Date(), deliveries)).toArray(),
  );
}

/** The documents of an organization by collection, except those of which the large one has many. */
function documentsOf(organization) {
  const times = { createdAt: loadedAt, updatedAt: loadedAt };
  const organizationId = idOf('organization', organization);
  const key = apiKeyOf(organization);
  return {
    organizations: [
      {
        _id: organizationId,
        name: `Organization ${organization}`,
        logo: 'https://cdn.example.com/logo.png',
        isDeleted: false,
        settings: {},
        ...times,
      },
    ],
    apiKeys: [
      {
        _id: idOf('apiKey', organization),
        organizationId,
        name: 'Bench',
        prefix: key.slice(0, 11),
        hash: hashOf(key),
        permissions: { allowExternal: true },
        revokedAt: null,
        lastUsedAt: null,
        ...times,
      },
    ],
    ...catalogueOf(organization),
    ...peopleOf(organization),
  };
}

function loadMany(db, name, count, make) {
  return withoutIndexes(db, name, () => insert(db, name, count, make));
}

/** Indexes are built over what was loaded, which takes a fraction of keeping them up to date. */
export async function withoutIndexes(db, name, load) {
  const collection = db.collection(name);
  const indexes = (await collection.indexes()).filter((index) => index.name !== '_id_');
  await collection.dropIndexes();
  await load();
  await collection.createIndexes(indexes.map(({ v: _version, ...index }) => index));
}

async function insert(db, name, count, make) {
  for (let from = 0; from < count; from += batchSize) {
    const length = Math.min(batchSize, count - from);
    const batch = Array.from({ length }, (_, index) => make(from + index));
    await db.collection(name).insertMany(batch, { ordered: false });
  }
}
