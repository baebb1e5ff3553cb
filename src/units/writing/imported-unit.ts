import type { Types } from 'mongoose';
import { isMisspelledStatus, statusToStore } from '../unit-status.js';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { newUnit } from './unit-decision.js';
import { locationOf } from './unit-fields.js';
import { type UnitChange, unitChanges } from './unit-writes.service.js';

/** A null location stands for the compound. */
export type ImportedUnit = Partial<UnitDocument> & {
  readonly slug: string;
  readonly compoundId: Types.ObjectId;
};

/**
 * Changes only sent fields, but gives a unit without a status one. Returns undefined if nothing differs.
 *
 * @param reservations statuses of the unit's reservations
 */
export function decideImport(
  organizationId: Types.ObjectId,
  before: UnitDocument | undefined,
  { status, ...entry }: ImportedUnit,
  reservations: readonly string[],
  now: Date,
): UnitChange | undefined {
  const locationId = locationOf(entry.locationId, before, entry.compoundId);
  const located = { ...entry, ...(locationId && { locationId }) };
  if (before === undefined) {
    const fields = { ...located, ...(status && { status }) };
    return { before, after: newUnit(organizationId, fields, now) };
  }
  const isKept = before.status && !isMisspelledStatus(before.status);
  const sent = status ?? (isKept ? undefined : before.status || 'Available');
  const after = {
    ...before,
    ...located,
    ...(entry.name && { name: { ...before.name, ...entry.name } }),
    ...(sent === undefined ? {} : { status: statusToStore(sent, reservations) }),
    rentalStatus: entry.rentalStatus ?? (before.rentalStatus || 'Unavailable'),
    updatedAt: now,
  };
  return unitChanges(before, after).length === 0 ? undefined : { before, after };
}
