import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { withoutUndefined } from '../../core/values/plain-object.js';
import type { Message } from '../../core/localization/messages.service.js';
import { unitErrors, unknownName } from '../unit-errors.js';
import { statusWhenSent } from '../../availability/availability.js';
import type { Named, UnitRecords } from './unit-records.js';
import type { UpsertUnitDto } from '../unit.dto.js';

/** The fields of a unit that other documents decide. */
type Links = Partial<
  Pick<
    UnitDocument,
    'compoundId' | 'locationId' | 'propertyTypeId' | 'unitDesignId' | 'amenitiesIds' | 'status'
  >
>;

/**
 * The compound that a request names, if it names one.
 *
 * @throws DomainError 400 when there is none
 */
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
 * The ids that the names of a request mean, and its status by the unit's reservations (rules UNIT-1
 * and UNIT-30).
 *
 * @param compoundId the compound that the request names
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
  const errors: Message[] = [];
  const found = (property: string, name: string, id: Types.ObjectId | undefined) => {
    if (id === undefined) errors.push(unknownName(property, name));
    return id ?? null;
  };
  /** Null takes a link away, undefined leaves it as it is. */
  const idOf = (property: string, name: string | null | undefined, ids: Named) =>
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

/** The location of a unit, undefined where it stays; one in no phase is in its compound. */
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
