// Loading and storing what a callback decides on.
import { ObjectId } from 'mongodb';
import { changesBetween } from '../changes.mjs';
import { presentReservation } from './presenter.mjs';

const latestFirst = { isDeleted: 1, deletedAt: -1, _id: -1 };

/** The reservation with its unit, wallets and the statuses of the unit's others; null without reservation. */
export async function load({ db, session, caller: { organizationId }, now }, reservationId) {
  if (!ObjectId.isValid(reservationId) || reservationId.length !== 24) return null;
  const filter = { _id: new ObjectId(reservationId), organizationId, isDeleted: false };
  const reservation = await db.collection('reservations').findOne(filter, { session });
  if (reservation === null) return null;
  const { _id, unitId } = reservation;
  const unit = { organizationId, isDeleted: false };
  const others = db
    .collection('reservations')
    .find({ ...unit, unitId, _id: { $ne: _id } }, { session, projection: { status: 1 } });
  return {
    reservation,
    unit: await db.collection('units').findOne({ ...unit, _id: unitId }, { session }),
    isUnitDecided: false,
    otherStatuses: (await others.toArray()).map(({ status }) => status),
    wallets: await db
      .collection('chequeWallets')
      .find({ organizationId, reservationId: _id }, { session, sort: latestFirst })
      .toArray(),
    events: [],
    now,
  };
}

/** Stores the differences between two states and the events about them. */
export async function store({ db, session, caller, now }, before, after) {
  const events = [...reservationEvents(before, after), ...after.events];
  if (after.reservation !== before.reservation) {
    await db
      .collection('reservations')
      .replaceOne({ _id: after.reservation._id }, after.reservation, { session });
  }
  for (const wallet of after.wallets) {
    if (before.wallets.includes(wallet)) continue;
    await db.collection('chequeWallets').replaceOne({ _id: wallet._id }, wallet, { session });
  }
  if (events.length > 0) {
    const times = { relayedAt: null, createdAt: now, updatedAt: now };
    const stored = ({ organizationId }, event) => ({
      _id: new ObjectId(),
      organizationId,
      ...event,
      ...times,
    });
    const documents = events.map((event) => stored(caller, event));
    await db.collection('outboxEvents').insertMany(documents, { session });
  }
  if (after.isUnitDecided) await storeUnit({ db, session }, before.unit, after.unit);
}

/** The unit is written even when its status stays: two decisions about one unit have to conflict. */
async function storeUnit({ db, session }, before, { _id, status, updatedAt }) {
  const fields = status === before.status ? {} : { status, updatedAt };
  const $set = { ...fields, availabilityLock: new ObjectId() };
  await db.collection('units').updateOne({ _id }, { $set }, { session });
}

function reservationEvents(before, after) {
  if (after.reservation === before.reservation) return [];
  const changes = changesBetween(audited(before.reservation), audited(after.reservation), [
    'partnerCollection',
  ]);
  const wallet = after.wallets.find(({ isDeleted }) => !isDeleted) ?? after.wallets[0];
  return [
    { type: 'reservation.updated', data: presentReservation(after.reservation, wallet), changes },
  ];
}

function audited(reservation) {
  const { updatedAt: _at, chequeWallet: _wallet, ...fields } = presentReservation(reservation);
  return fields;
}
