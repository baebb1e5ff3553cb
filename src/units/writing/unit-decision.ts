import { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { DomainError } from '../../core/errors/domain-error.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { unitErrors } from '../unit-errors.js';
import { statusToStore } from '../unit-status.js';
import { type UnitChange, unitChanges } from './unit-writes.service.js';
import {
  resolveCompound,
  placeholderName,
  requestedUnitFields,
  resolveLinks,
  slugCandidates,
  slugTexts,
} from './unit-fields.js';
import type { UnitWorkingSet } from './unit-working-set.js';
import type { UpsertUnitDto } from '../unit.dto.js';

export interface UnitRequest {
  readonly caller: Caller;
  readonly input: UpsertUnitDto;
}

export interface UnitDecision {
  readonly operation: 'create' | 'update';
  readonly unit: UnitDocument;
  /** It is absent if nothing has to be stored. */
  readonly change?: UnitChange;
}

/**
 * Adds or changes the unit with the same `recordSystemId`, or else `unitId` (rule UNIT-1).
 *
 * @throws DomainError 400 for an unknown name or ambiguous ids, 404 if there is no unit to retire
 */
export function decideUnit(workingSet: UnitWorkingSet, request: UnitRequest): UnitDecision {
  const { caller, input } = request;
  const compoundId = resolveCompound(workingSet, input);
  const stored = findUnit(workingSet, input, compoundId);
  if (stored === null && input.isDeleted) throw new DomainError(unitErrors.noneToDelete);
  if (stored === null && compoundId === undefined) {
    throw new DomainError(unitErrors.compoundRequired);
  }
  const fields = {
    ...requestedUnitFields(input, stored, caller.language),
    ...resolveLinks(workingSet, input, stored, compoundId),
  };
  assertUnitIdFree(workingSet, { ...stored, ...fields }, stored?._id);
  return stored === null
    ? create(workingSet, request, fields)
    : update(workingSet, request, stored, fields);
}

/** A different external id means a different unit. */
function findUnit(
  workingSet: UnitWorkingSet,
  { recordSystemId, unitId }: UpsertUnitDto,
  compoundId: Types.ObjectId | undefined,
): UnitDocument | null {
  const known =
    recordSystemId === undefined ? null : workingSet.findByRecordSystemId(recordSystemId);
  if (known || unitId === undefined) return known ?? null;
  const [unit, ...others] = workingSet.findByUnitId(unitId, compoundId);
  if (others.length > 0) throw new DomainError(unitErrors.ambiguous, { unitId });
  const belongsToAnotherRecord =
    recordSystemId !== undefined && typeof unit?.recordSystemId === 'string';
  return unit === undefined || belongsToAnotherRecord ? null : unit;
}

function assertUnitIdFree(
  workingSet: UnitWorkingSet,
  { unitId, compoundId }: Partial<UnitDocument>,
  own: Types.ObjectId | undefined,
): void {
  if (typeof unitId !== 'string' || !compoundId) return;
  const units = workingSet.findByUnitId(unitId, compoundId);
  if (units.some(({ _id }) => !own?.equals(_id))) {
    throw new DomainError(unitErrors.unitIdTaken, { unitId });
  }
}

function create(
  workingSet: UnitWorkingSet,
  { caller: { requestId } }: UnitRequest,
  fields: Partial<UnitDocument>,
): UnitDecision {
  const { organizationId, now } = workingSet.loaded;
  const _id = new Types.ObjectId();
  const named = { ...placeholderName(fields), ...fields, _id };
  const candidates = slugCandidates(slugTexts(fields), _id.toHexString());
  // The last candidate contains the new id, so it is free.
  const slug = candidates.find((slugCandidate) => !workingSet.isSlugUsed(slugCandidate)) as string;
  const unit = newUnit(organizationId, { ...named, slug }, now);
  return { operation: 'create', unit, change: { before: undefined, after: unit, requestId } };
}

function update(
  { loaded: { now: updatedAt } }: UnitWorkingSet,
  { caller: { requestId } }: UnitRequest,
  before: UnitDocument,
  fields: Partial<UnitDocument>,
): UnitDecision {
  const operation = 'update';
  const times = fields.isDeleted ? { updatedAt, deletedAt: updatedAt } : { updatedAt };
  const after = { ...before, ...fields, ...times };
  if (unitChanges(before, after).length > 0) {
    return { operation, unit: after, change: { before, after, requestId } };
  }
  const { nameStandIn = null } = after;
  if ((before.nameStandIn ?? null) === nameStandIn) return { operation, unit: before };
  // The stand-in was sent as the name, so it no longer follows the other translation.
  return { operation, unit: before, change: { before, after: { ...before, nameStandIn } } };
}

/** Fields that the request omits get the defaults of rule UNIT-1. */
export function newUnit(
  organizationId: Types.ObjectId,
  fields: Partial<UnitDocument>,
  now: Date,
): UnitDocument {
  return {
    rentalStatus: 'Unavailable',
    unitDesignId: null,
    propertyTypeId: null,
    amenitiesIds: [],
    media: [],
    reviews: [],
    listingType: [],
    showForBrokers: false,
    isAdminOnly: false,
    allowToTaskeen: false,
    _id: new Types.ObjectId(),
    ...fields,
    // Stryker disable next-line ArrayDeclaration: any string that is not a status holds no unit.
    status: statusToStore(fields.status ?? 'Available', []),
    organizationId,
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
    __v: 0,
  };
}
