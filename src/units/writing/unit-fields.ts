import { slug as slugOf } from 'github-slugger';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import type { Language, Localized } from '../../core/localization/language.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { withoutUndefined } from '../../core/values/json.js';
import type { LocalizedMessage } from '../../core/localization/messages.service.js';
import { unitErrors, unknownNameMessage } from '../unit-errors.js';
import { isMisspelledStatus, statusToStore } from '../unit-status.js';
import type { IdsByName, UnitWorkingSet } from './unit-working-set.js';
import type { UpsertUnitDto } from '../unit.dto.js';

type StoredName = Pick<UnitDocument, 'name' | 'nameStandIn'>;

/** @throws DomainError 400 for an unknown compound */
export function resolveCompound(
  { loaded }: UnitWorkingSet,
  { compound }: UpsertUnitDto,
): Types.ObjectId | undefined {
  if (compound === undefined) return undefined;
  const id = loaded.compounds.get(compound);
  if (id === undefined) {
    throw new DomainError(unitErrors.unknownName, [unknownNameMessage('compound', compound)]);
  }
  return id;
}

/** @throws DomainError 400 that lists every unknown name (rules UNIT-1 and UNIT-30) */
export function resolveLinks(
  workingSet: UnitWorkingSet,
  input: UpsertUnitDto,
  stored: UnitDocument | null,
  compoundId: Types.ObjectId | undefined,
): Partial<UnitDocument> {
  const { loaded } = workingSet;
  const { phase, propertyType, unitDesign, amenities } = input;
  const status = input.status ?? (isMisspelledStatus(stored?.status) ? stored?.status : undefined);
  const errors: LocalizedMessage[] = [];
  const found = (property: string, name: string, id: Types.ObjectId | undefined) => {
    if (id === undefined) errors.push(unknownNameMessage(property, name));
    return id ?? null;
  };
  /** Null removes a link; undefined keeps it. */
  const idOf = (property: string, name: string | null | undefined, ids: IdsByName) =>
    typeof name === 'string' ? found(property, name, ids.get(name)) : name;
  const compound = compoundId ?? stored?.compoundId ?? undefined;
  const located =
    typeof phase === 'string'
      ? found('phase', phase, compound && workingSet.findPhase(compound, phase))
      : phase;
  const links = withoutUndefined({
    compoundId,
    locationId: locationOf(located, stored, compound),
    propertyTypeId: idOf('propertyType', propertyType, loaded.propertyTypes),
    unitDesignId: idOf('unitDesign', unitDesign, loaded.unitDesigns),
    amenitiesIds:
      amenities &&
      distinct(amenities.flatMap((name) => idOf('amenities', name, loaded.amenities) ?? [])),
    status: status && stored ? statusToStore(status, workingSet.statusesOf(stored)) : undefined,
  });
  if (errors.length > 0) throw new DomainError(unitErrors.unknownName, errors);
  return links;
}

/** Returns undefined if the location stays. A unit without a phase is located in its compound. */
export function locationOf(
  sent: Types.ObjectId | null | undefined,
  stored: Pick<UnitDocument, 'compoundId' | 'locationId'> | null | undefined,
  compoundId: Types.ObjectId | null | undefined,
): Types.ObjectId | null | undefined {
  if (sent) return sent;
  const isStored = stored?.locationId && compoundId && stored.compoundId?.equals(compoundId);
  return sent === undefined && isStored ? undefined : compoundId;
}

function distinct(ids: readonly Types.ObjectId[]): Types.ObjectId[] {
  return [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
}

export function requestedUnitFields(
  input: UpsertUnitDto,
  stored: StoredName | null,
  language: Language,
): Partial<UnitDocument> {
  const { name, isDeleted } = input;
  return {
    ...sentFields(input),
    ...(name === undefined ? {} : mergedName(name, stored, language)),
    ...(isDeleted === undefined ? {} : { isDeleted }),
  };
}

/** Omits references, which {@link resolveLinks} resolves, and fields that depend on the stored unit. */
function sentFields(input: UpsertUnitDto): Partial<UnitDocument> {
  const {
    compound: _compound,
    phase: _phase,
    unitDesign: _unitDesign,
    propertyType: _propertyType,
    amenities: _amenities,
    name: _name,
    isDeleted: _isDeleted,
    floor,
    media,
    ...fields
  } = input;
  return {
    ...fields,
    ...(floor && { floor: { ...floor } }),
    ...(media && { media: media.map((item) => ({ ...item })) }),
  };
}

/** If `en-us` was never sent, another translation stands in for it and updates it (rule UNIT-32). */
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

/** Returns the best text first. */
export function slugTexts(fields: Partial<UnitDocument>): (string | undefined)[] {
  const { name } = { ...placeholderName(fields), ...fields };
  return [name?.['en-us'], fields.unitId, fields.recordSystemId];
}

export function placeholderName({ unitId, recordSystemId }: Partial<UnitDocument>) {
  const text = unitId ?? recordSystemId ?? '';
  return { name: { 'en-us': text }, nameStandIn: text };
}

const maxSlugLength = 200;

/** Keeps letters of every script; returns an empty slug without letters and digits. */
export function slugify(text: string): string {
  const slug = slugOf(text.normalize('NFC').trim()).replaceAll(/-{2,}/g, '-');
  return slug.slice(0, maxSlugLength).toWellFormed().replaceAll(/^-|-$/g, '');
}

/** Returns slugs in the order of the texts; the last one is unique because it contains the id. */
export function slugCandidates(texts: readonly (string | undefined)[], id: string): string[] {
  const slugs = texts.map((text) => slugify(text ?? '')).filter((slug) => slug !== '');
  const [first, ...others] = [...new Set(slugs)];
  if (first === undefined) return [`unit-${id}`];
  return [first, ...others.map((other) => `${first}-${other}`), `${first}-${id}`];
}
