import { type Db, type Document, ObjectId } from 'mongodb';
import { conventions } from '../../support/builders.js';
import type { ModelCheque, ModelEntry, ModelState } from './callback-model.js';

/** Deletions of wallets in the order of the model, long before those of the test's own time. */
const deletedAt = (deletion: number) => new Date(Date.UTC(2020, 0, 1) + deletion * 1_000);

/** Writes what a model holds, under its own ids. */
export async function store(
  db: Db,
  organizationId: ObjectId,
  modelState: ModelState,
): Promise<void> {
  const unitOf = new Map(modelState.reservations.map(({ id, unit }) => [id, new ObjectId(unit)]));
  const documents: Record<string, Document[]> = {
    units: modelState.units.map(({ id, ...fields }) => ({ _id: new ObjectId(id), ...fields })),
    reservations: modelState.reservations.map(({ id, unit, status, isInCollection }) => ({
      _id: new ObjectId(id),
      unitId: new ObjectId(unit),
      status,
      partnerCollection: { isActive: isInCollection },
    })),
    chequeWallets: modelState.wallets.map(({ id, reservation, deletion, cheques }) => ({
      _id: new ObjectId(id),
      reservationId: new ObjectId(reservation),
      ...(unitOf.has(reservation) ? { unitId: unitOf.get(reservation) } : {}),
      isDeleted: deletion !== null,
      ...(deletion === null ? {} : { deletedAt: deletedAt(deletion) }),
      cheques: cheques.map(({ history, ...cheque }) => ({ ...cheque, statusHistory: history })),
    })),
  };
  for (const [collection, list] of Object.entries(documents)) {
    const all = list.map((document) => ({ ...conventions(organizationId), ...document }));
    if (all.length > 0) await db.collection(collection).insertMany(all);
  }
}

/** What the database holds of the given reservations and units, or of all, as a model. */
export async function load(
  db: Db,
  organizationId: ObjectId,
  unitIds?: readonly string[],
): Promise<ModelState> {
  const units = unitIds?.map((id) => new ObjectId(id));
  const ofUnits = (field: string) => ({
    organizationId,
    ...(units === undefined ? {} : { [field]: { $in: units } }),
  });
  const sorted = (collection: string, filter: Document) =>
    db.collection(collection).find(filter).sort({ _id: 1 }).toArray();
  const [wallets, foundUnits, reservations] = await Promise.all([
    sorted('chequeWallets', ofUnits('unitId')),
    sorted('units', ofUnits('_id')),
    sorted('reservations', ofUnits('unitId')),
  ]);
  const deletions = wallets
    .filter(({ isDeleted }) => isDeleted)
    .toSorted((a, b) => a['deletedAt'].getTime() - b['deletedAt'].getTime())
    .map(({ _id }) => _id.toHexString());
  return {
    units: foundUnits.map(({ _id, status, isDeleted }) => {
      return { id: _id.toHexString(), status, isDeleted };
    }),
    reservations: reservations.map((document) => ({
      id: document._id.toHexString(),
      unit: document['unitId'].toHexString(),
      status: document['status'],
      isInCollection: document['partnerCollection'].isActive,
    })),
    wallets: wallets.map(({ _id, reservationId, cheques }) => {
      const place = deletions.indexOf(_id.toHexString());
      return {
        id: _id.toHexString(),
        reservation: reservationId.toHexString(),
        deletion: place === -1 ? null : place + 1,
        cheques: cheques.map(readCheque),
      };
    }),
  };
}

/** A model in the form that {@link load} gives: in the order of ids, deletions numbered from 1. */
export function normalized(modelState: ModelState): ModelState {
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  const deletions = modelState.wallets
    .flatMap(({ deletion }) => (deletion === null ? [] : [deletion]))
    .toSorted((a, b) => a - b);
  return {
    units: modelState.units.toSorted(byId),
    reservations: modelState.reservations.toSorted(byId),
    wallets: modelState.wallets
      .map((wallet) => ({
        ...wallet,
        deletion: wallet.deletion === null ? null : deletions.indexOf(wallet.deletion) + 1,
      }))
      .toSorted(byId),
  };
}

function readCheque({ installmentId, statusHistory, ...facts }: Document): ModelCheque {
  return { installmentId, ...readEntry(facts), history: statusHistory.map(readEntry) };
}

function readEntry({ status, chequeNumber, chequeAmount }: Document): ModelEntry {
  return {
    status,
    ...(chequeNumber === undefined ? {} : { chequeNumber }),
    ...(chequeAmount === undefined ? {} : { chequeAmount }),
  };
}
