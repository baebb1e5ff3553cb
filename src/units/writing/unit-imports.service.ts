import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { mergeTranslations } from '../../core/localization/language.js';
import { UnitReservationsRepository } from '../../availability/unit-reservations.repository.js';
import { UnitsRepository } from '../units.repository.js';
import { statusWhenSent } from '../../availability/availability.js';
import { newUnit } from './unit-decision.js';
import { type UnitChange, unitChanges, UnitWritesService } from './unit-writes.service.js';

/** A null location stands for the compound. */
export type ImportedUnit = Partial<UnitDocument> & {
  readonly slug: string;
  readonly compoundId: Types.ObjectId;
};

type SaveCounts = Readonly<Record<'created' | 'updated' | 'unchanged', number>>;

@Injectable()
export class UnitImportsService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly reservations: UnitReservationsRepository,
    private readonly writes: UnitWritesService,
  ) {}

  /** Runs inside the open transaction; units are known by their slugs (rule OPS-5). */
  async save(
    organizationId: Types.ObjectId,
    entries: readonly ImportedUnit[],
    now: Date,
  ): Promise<SaveCounts> {
    const slugs = entries.map(({ slug }) => slug);
    const stored = await this.units.findAny(organizationId, [{ slug: { $in: slugs } }]);
    const ids = stored.map(({ _id }) => _id);
    const reservations = await this.reservations.statusesByUnit(organizationId, ids);
    const bySlug = new Map(stored.map((unit) => [unit.slug, unit]));
    const created: UnitDocument[] = [];
    const updated: UnitChange[] = [];
    for (const entry of entries) {
      const before = bySlug.get(entry.slug);
      if (before === undefined) {
        const located = { ...entry, locationId: entry.locationId ?? entry.compoundId };
        created.push(newUnit(organizationId, located, now));
        continue;
      }
      const statuses = reservations.get(before._id.toHexString()) ?? [];
      const fields = { ...importedFields(before, entry, statuses), updatedAt: now };
      const after = { ...before, ...fields };
      if (unitChanges(before, after).length > 0) updated.push({ before, after });
    }
    const changes = [...created.map((after) => ({ before: undefined, after })), ...updated];
    await this.writes.store(organizationId, changes, now);
    const counts = { created: created.length, updated: updated.length };
    return { ...counts, unchanged: entries.length - counts.created - counts.updated };
  }
}

/** Only sent fields change, but a unit without a status gets one. */
function importedFields(
  before: UnitDocument,
  { status, ...entry }: ImportedUnit,
  reservations: readonly string[],
): Partial<UnitDocument> {
  const sent = status ?? (before.status ? undefined : 'Available');
  return {
    ...entry,
    ...(entry.name ? { name: mergeTranslations(before.name, entry.name) } : {}),
    ...(sent === undefined ? {} : { status: statusWhenSent(sent, reservations) }),
    rentalStatus: entry.rentalStatus ?? (before.rentalStatus || 'Unavailable'),
    locationId: locationOf(before, entry),
  };
}

/** A unit without a phase is located in its compound; an unsent phase changes nothing. */
function locationOf(
  before: UnitDocument,
  { compoundId, locationId }: Pick<ImportedUnit, 'compoundId' | 'locationId'>,
): Types.ObjectId {
  if (locationId) return locationId;
  const keeps = locationId === undefined && before.compoundId?.equals(compoundId);
  return (keeps && before.locationId) || compoundId;
}
