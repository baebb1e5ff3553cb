import { Readable } from 'node:stream';
import { loadReferences, newReferences } from './joins.mjs';
import { pageOf, paginationOf, sendTagged, setUpdatedAsOf } from './lists.mjs';
import { presentUnit } from './present-unit.mjs';
import { unitFilter, unitOrder } from './unit-filters.mjs';

const exportLimit = 10_000;
const unitsInBatch = 250;

/** `GET /compounds/:slug/units`, `GET /units` and the export. */
export function addUnits(routes, db) {
  const units = db.collection('units');
  routes.get('/compounds/:slug/units', async (request, reply) => {
    const { organizationId } = request.caller;
    const filter = { organizationId, slug: request.params.slug, isDeleted: false };
    const compound = await db.collection('compounds').findOne(filter, { projection: { _id: 1 } });
    if (compound === null) return reply.code(404).send({ message: 'not found' });
    const found = await units
      .find(
        { organizationId, compoundId: compound._id, isDeleted: false },
        { sort: { createdAt: -1, _id: -1 } },
      )
      .toArray();
    const data = await present(db, request.caller, found);
    return sendTagged(request, reply, JSON.stringify({ data }));
  });

  routes.get('/units', async (request, reply) => {
    const { caller, query } = request;
    const filter = await unitFilter(db, caller.organizationId, query);
    const { skip, limit } = pageOf(query);
    const [total, found] = await Promise.all([
      units.countDocuments(filter),
      units.find(filter, { sort: unitOrder(query), skip, limit }).toArray(),
    ]);
    const data = await present(db, caller, found);
    const pagination = paginationOf(data.length, limit, total);
    return sendTagged(request, reply, JSON.stringify({ data, pagination }));
  });

  routes.get('/units/export/all', async ({ caller, query }, reply) => {
    const filter = await unitFilter(db, caller.organizationId, query);
    const total = await units.countDocuments(filter);
    const cursor = units.find(filter, {
      sort: unitOrder(query),
      limit: exportLimit,
      batchSize: unitsInBatch,
    });
    return setUpdatedAsOf(reply)
      .header('x-total-count', total)
      .type('application/json; charset=utf-8')
      .send(Readable.from(exportText(db, caller, cursor, total), { objectMode: false }));
  });
}

async function present(db, caller, units, references = newReferences()) {
  await loadReferences(db, caller, units, references);
  return units.map((unit) => presentUnit(unit, caller.language, references));
}

async function* exportText(db, caller, cursor, total) {
  const references = newReferences();
  let count = 0;
  yield '{"data":[';
  while (await cursor.hasNext()) {
    const data = await present(db, caller, cursor.readBufferedDocuments(), references);
    yield (count === 0 ? '' : ',') + JSON.stringify(data).slice(1, -1);
    count += data.length;
  }
  yield `],"pagination":${JSON.stringify(paginationOf(count, exportLimit, total))}}`;
}
