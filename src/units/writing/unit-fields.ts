import type { Types } from 'mongoose';
import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { storedFields } from '../../core/fields/declared-fields.js';
import type { Language, Localized } from '../../core/localization/language.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { withoutUndefined } from '../../core/values/json.js';
import type { LocalizedMessage } from '../../core/localization/messages.service.js';
import { unitErrors, unknownName } from '../unit-errors.js';
import { statusWhenSent } from '../../availability/availability.js';
import type { IdsByName, UnitRecords } from './unit-records.js';
import type { UpsertUnitDto } from '../unit.dto.js';

type StoredName = Pick<UnitDocument, 'name' | 'nameStandIn'>;

type Links = Partial<
  Pick<
    UnitDocument,
    'compoundId' | 'locationId' | 'propertyTypeId' | 'unitDesignId' | 'amenitiesIds' | 'status'
  >
>;

/** @throws DomainError 400 for an unknown compound */
export function compoundOf(
  { loaded }: UnitRecords,
  { compound }: UpsertUnitDto,
): Types.ObjectId | undefined {
  if (compound === undefined) return undefined;
  const id = loaded.compounds.get(compound);
  if (id === undefined) {
    throw new DomainError(unitErrors.unknownName, [unknownName('compound', compound)]);
  }
  return id;
}

/**
 * Resolves names to ids, and the status by the reservations of the unit (rules UNIT-1 and UNIT-30).
 *
 * @throws DomainError 400 that lists every unknown name
 */
export function resolveLinks(
  records: UnitRecords,
  input: UpsertUnitDto,
  stored: UnitDocument | null,
  compoundId: Types.ObjectId | undefined,
): Links {
  const { loaded } = records;
  const { phase, propertyType, unitDesign, amenities, status } = input;
  const errors: LocalizedMessage[] = [];
  const found = (property: string, name: string, id: Types.ObjectId | undefined) => {
    if (id === undefined) errors.push(unknownName(property, name));
    return id ?? null;
  };
  /** Null removes a link; undefined keeps it. */
  const idOf = (property: string, name: string | null | undefined, ids: IdsByName) =>
    typeof name === 'string' ? found(property, name, ids.get(name)) : name;
  const links = withoutUndefined({
    compoundId,
    locationId: locationOf(phase, stored, compoundId, (compound, slug) =>
      found('phase', slug, compound && records.findPhase(compound, slug)),
    ),
    propertyTypeId: idOf('propertyType', propertyType, loaded.propertyTypes),
    unitDesignId: idOf('unitDesign', unitDesign, loaded.unitDesigns),
    amenitiesIds:
      amenities &&
      distinct(amenities.flatMap((name) => idOf('amenities', name, loaded.amenities) ?? [])),
    status: status && stored ? statusWhenSent(status, records.statusesOf(stored)) : undefined,
  });
  if (errors.length > 0) throw new DomainError(unitErrors.unknownName, errors);
  return links;
}

/** Undefined if it stays. A unit without a phase is located in its compound. */
function locationOf(
  phase: string | null | undefined,
  stored: UnitDocument | null,
  named: Types.ObjectId | undefined,
  findPhase: (compoundId: Types.ObjectId | undefined, slug: string) => Types.ObjectId | null,
): Types.ObjectId | null | undefined {
  const compoundId = named ?? stored?.compoundId ?? undefined;
  if (typeof phase === 'string') return findPhase(compoundId, phase);
  const keepsLocation = stored?.locationId && compoundId && stored.compoundId?.equals(compoundId);
  return phase === null || !keepsLocation ? compoundId : undefined;
}

function distinct(ids: readonly Types.ObjectId[]): Types.ObjectId[] {
  return [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
}

/** Without references. */
export function requestedUnitFields(
  input: UpsertUnitDto,
  stored: StoredName | null,
  language: Language,
): Partial<UnitDocument> {
  const { name, isDeleted } = input;
  return {
    ...storedFields(UnitDocument, input),
    ...(name === undefined ? {} : mergedName(name, stored, language)),
    ...(isDeleted === undefined ? {} : { isDeleted }),
  };
}

/** Merges translations. If `en-us` was never sent, another translation stands in for it and updates it (rule UNIT-32). */
function mergedName(
  input: string | Partial<Localized>,
  stored: StoredName | null,
  language: Language,
): Required<Pick<StoredName, 'name' | 'nameStandIn'>> {
  const sent: Partial<Localized> = typeof input === 'string' ? { [language]: input } : input;
  const before: Partial<Localized> = { ...stored?.name };
  const merged = { ...before, ...sent };
  const [english, arabic] = [merged['en-us'], merged['ar-eg']];
  const isStandIn =
    typeof stored?.nameStandIn === 'string' && stored.nameStandIn === before['en-us'];
  const isOwn = sent['en-us'] !== undefined || !isStandIn;
  if (isOwn && english) return { name: { ...merged, 'en-us': english }, nameStandIn: null };
  return { name: { ...merged, 'en-us': arabic ?? '' }, nameStandIn: arabic ?? null };
}
