// Data that grows: one organization with more and more of everything, and a thousand small organizations.
import { counts, garden, phase, unit } from './catalogue.mjs';
import { documentsOf, insert, loadDeliveries, withoutIndexes } from './load.mjs';
import { idOf, loadedAt } from './names.mjs';
import { client, lead, reservation, wallet } from './people.mjs';
import { sizes } from './sizes.mjs';

/** The first size of the large organization. */
const first = { leads: 20_000, units: 1_000, reservations: 500, deliveries: 10_000 };
const unitsInCompound = 500;
/** A phase needs a compound: as many of them as have units at the largest size. */
const compoundsWithPhases = 200;
const batchSize = 10_000;

/** When the units changed that pollers ask for, always the same number of them. */
export const changedAt = new Date('2026-02-01T08:00:00.000Z');
const changedUnits = 100;

/** How much of each kind the large organization has at a size. */
export function amountAt(factor) {
  return Object.fromEntries(Object.entries(first).map(([name, count]) => [name, count * factor]));
}

/** Sets the sizes from which requests are made. */
export function useSize(factor) {
  const { leads, reservations } = amountAt(factor);
  Object.assign(sizes, { leads, reservations });
}

/** Fills an empty database with the large organization at a size. */
export async function loadLarge(db, factor) {
  useSize(0);
  const numbers = Array.from({ length: compoundsWithPhases }, (_, number) => number);
  const phases = numbers.flatMap((number) =>
    Array.from({ length: counts.phases }, (_, index) => phase(number, index)),
  );
  for (const [name, all] of Object.entries({ ...documentsOf(0), phases, units: [] })) {
    await insert(db, name, all);
  }
  useSize(factor);
  const amount = amountAt(factor);
  const load = (name, count, make) =>
    withoutIndexes(db, name, async () => {
      for (let from = 0; from < count; from += batchSize) {
        const length = Math.min(batchSize, count - from);
        await insert(
          db,
          name,
          Array.from({ length }, (_, index) => make(from + index)),
        );
      }
    });
  await load('leads', amount.leads, (index) => lead(0, index));
  await load('clients', amount.leads, (index) => client(0, index));
  await load('changeLogs', amount.leads, changeLog);
  await load('units', amount.units, growingUnit);
  await load('reservations', amount.reservations, reservation);
  await load('chequeWallets', amount.reservations, wallet);
  await loadDeliveries(db, amount.deliveries);
  await db.collection('counters').updateOne({ name: 'leadId' }, { $set: { value: amount.leads } });
}

/** The first compound has as many at any size. */
function growingUnit(place) {
  const changed = place < changedUnits ? { updatedAt: changedAt } : {};
  if (place < garden.units) return { ...unit(garden, place), ...changed };
  const number = 1 + Math.floor((place - garden.units) / unitsInCompound);
  const firstUnit = garden.units + (number - 1) * unitsInCompound;
  return unit({ number, firstUnit }, place - firstUnit);
}

function changeLog(index) {
  return {
    _id: idOf('changeLog', index),
    organizationId: idOf('organization', 0),
    entity: 'Lead',
    entityId: idOf('lead', index),
    context: 'External Lead Create',
    modifier: 'External API',
    source: 'API',
    changes: [{ field: 'data.note', from: null, to: 'Called twice.' }],
    isDeleted: false,
    createdAt: loadedAt,
    updatedAt: loadedAt,
  };
}
