import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { DomainError } from '../../core/errors/domain-error.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { decideUnit } from './unit-decision.js';
import { slugTexts } from './unit-fields.js';
import { type LoadedUnits, UnitWorkingSet } from './unit-working-set.js';
import type { UpsertUnitDto } from '../unit.dto.js';

const organizationId = new ObjectId();
const before = new Date('2026-01-05T08:00:00Z');
const now = new Date('2026-02-01T12:00:00Z');
const newId = () => new ObjectId();
const [palm, lake, north] = [newId(), newId(), newId()] as const;
const [villa, design, pool, gym] = [newId(), newId(), newId(), newId()] as const;

function unitWith(fields: Partial<UnitDocument> = {}): UnitDocument {
  return {
    _id: newId(),
    organizationId,
    name: { 'en-us': 'Villa' },
    slug: `villa-${newId().toHexString()}`,
    compoundId: palm,
    locationId: palm,
    status: 'Available',
    isDeleted: false,
    createdAt: before,
    updatedAt: before,
    ...fields,
  };
}

function workingSetWith(loaded: Partial<LoadedUnits> = {}): UnitWorkingSet {
  return new UnitWorkingSet({
    organizationId,
    now,
    units: [],
    compounds: new Map(Object.entries({ palm, lake })),
    phases: [north, newId()].map((_id) => ({ _id, parentId: palm, slug: 'north' })),
    propertyTypes: new Map([['Villa', villa]]),
    unitDesigns: new Map([['type-a', design]]),
    amenities: new Map(Object.entries({ Pool: pool, Swimming: pool, Gym: gym })),
    reservations: new Map(),
    usedSlugs: [],
    ...loaded,
  });
}

const caller = { organizationId, requestId: 'request 7', language: 'en-us' } as Caller;
const decide = (workingSet: UnitWorkingSet, input: UpsertUnitDto) =>
  decideUnit(workingSet, { caller, input });

/** Returns the error code of a refused request with the values of its message. */
function refusalOf(workingSet: UnitWorkingSet, input: UpsertUnitDto): string {
  try {
    decide(workingSet, input);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    const { definition, messages } = error as DomainError;
    const values = messages.map((message) => Object.values(message.values ?? {}).join(' '));
    return `${definition.code} ${values.join(', ')}`.trim();
  }
  throw new Error('The request was not refused.');
}

describe('a new unit', () => {
  it('has the sent fields, links, defaults and the id of the request', () => {
    const plain = { recordSystemId: 'ERP-1', unitId: 'A-1', price: 5 };
    const { operation, unit, change } = decide(workingSetWith(), {
      ...plain,
      name: 'Garden Villa',
      compound: 'palm',
      phase: 'north',
      propertyType: 'Villa',
      unitDesign: 'type-a',
      amenities: ['Pool', 'Swimming', 'Gym'],
    });
    expect(operation).toBe('create');
    expect(change).toEqual({ before: undefined, after: unit, requestId: 'request 7' });
    expect(unit).toMatchObject({
      ...plain,
      organizationId,
      name: { 'en-us': 'Garden Villa' },
      nameStandIn: null,
      slug: 'garden-villa',
      compoundId: palm,
      locationId: north,
      propertyTypeId: villa,
      unitDesignId: design,
      amenitiesIds: [pool, gym],
      status: 'Available',
      rentalStatus: 'Unavailable',
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    });
  });

  it('has defaults: the location of its compound, its id as the name, and empty lists', () => {
    const { unit } = decide(workingSetWith(), { unitId: 'A-1', compound: 'palm' });
    const lists = { amenitiesIds: [], media: [], reviews: [], listingType: [] };
    const flags = { showForBrokers: false, isAdminOnly: false, allowToTaskeen: false };
    const named = { name: { 'en-us': 'A-1' }, nameStandIn: 'A-1', slug: 'a-1' };
    expect(unit).toMatchObject({ ...lists, ...flags, ...named, locationId: palm });
    const linked = decide(workingSetWith(), { recordSystemId: 'ERP-1', compound: 'palm' });
    expect(linked.unit.name).toEqual({ 'en-us': 'ERP-1' });
  });

  it('gets the first slug candidate that no unit has', () => {
    const create = (ids: UpsertUnitDto, ...usedSlugs: string[]) =>
      decide(workingSetWith({ usedSlugs }), { ...ids, name: 'Villa', compound: 'palm' }).unit;
    expect(create({ unitId: 'A-1' }, 'villa').slug).toBe('villa-a-1');
    const { slug, _id } = create({ recordSystemId: 'a 1' }, 'villa', 'villa-a-1');
    expect(slug).toBe(`villa-${_id.toHexString()}`);
    expect(slugTexts({ unitId: 'A-1', recordSystemId: 'x' })).toEqual(['A-1', 'A-1', 'x']);
  });

  const unknownNames = { phase: 'p', propertyType: 't', unitDesign: 'd', amenities: ['a'] };

  it.each<[string, UpsertUnitDto, string]>([
    ['no compound', {}, 'unit.compound_required'],
    ['an unknown compound', { compound: 'x' }, 'unit.unknown_name compound x'],
    [
      'a phase of another compound',
      { compound: 'lake', phase: 'north' },
      'unit.unknown_name phase north',
    ],
    [
      'several unknown names',
      { compound: 'palm', ...unknownNames },
      'unit.unknown_name phase p, propertyType t, unitDesign d, amenities a',
    ],
  ])('is refused with %s', (_title, input, refusal) => {
    expect(refusalOf(workingSetWith(), { unitId: 'A-1', ...input })).toBe(refusal);
  });
});

describe('the unit of a request', () => {
  const linked = unitWith({ recordSystemId: 'ERP-1', unitId: 'A-1' });
  const unlinked = unitWith({ unitId: 'A-2' });
  const inLake = unitWith({ unitId: 'A-3', compoundId: lake });
  const sameUnitId = unitWith({ unitId: 'A-3' });
  const noIds = unitWith();
  const noCompound = unitWith({ recordSystemId: 'ERP-4', unitId: 'A-3', compoundId: null });
  const units = [linked, unlinked, inLake, sameUnitId, noIds, noCompound];
  const workingSet = () => workingSetWith({ units });

  it.each<[string, UpsertUnitDto, UnitDocument]>([
    ['by external id', { recordSystemId: 'ERP-1' }, linked],
    ['by external id although it has no compound', { recordSystemId: 'ERP-4' }, noCompound],
    ['by unitId', { unitId: 'A-2' }, unlinked],
    ['by unitId although it has an external id', { unitId: 'A-1' }, linked],
    ['by unitId within the compound', { unitId: 'A-3', compound: 'palm' }, sameUnitId],
  ])('is found %s', (_title, input, { _id }) => {
    const decided = decide(workingSet(), { ...input, price: 1 });
    expect(decided).toMatchObject({ operation: 'update', unit: { _id } });
  });

  it('gets the sent external id when it has none', () => {
    const both = { recordSystemId: 'ERP-2', unitId: 'A-2', compound: 'palm' };
    const { _id } = unlinked;
    expect(decide(workingSet(), both).unit).toMatchObject({ _id, recordSystemId: 'ERP-2' });
  });

  it('is new when no unit of the compound has its unitId, or no unit its external id', () => {
    const [other, alone] = [{ unitId: 'A-2', compound: 'lake' }, { recordSystemId: 'ERP-7' }];
    expect(decide(workingSet(), other).operation).toBe('create');
    expect(decide(workingSet(), { ...alone, compound: 'palm' }).operation).toBe('create');
  });

  const taken = { recordSystemId: 'ERP-9', unitId: 'A-1', compound: 'palm' };
  const renamed = { recordSystemId: 'ERP-1', unitId: 'A-2' };

  it.each<[string, UpsertUnitDto, string]>([
    ['belongs to another unit', taken, 'unit.unit_id_taken A-1'],
    ['belongs to another unit than its external id', renamed, 'unit.unit_id_taken A-2'],
    ['is in several compounds', { unitId: 'A-3' }, 'unit.ambiguous A-3'],
  ])('is refused when its unitId %s', (_title, input, refusal) => {
    expect(refusalOf(workingSet(), input)).toBe(refusal);
  });

  it('is refused with a phase when it has no compound', () => {
    const sent = { recordSystemId: 'ERP-4', phase: 'north' };
    expect(refusalOf(workingSet(), sent)).toBe('unit.unknown_name phase north');
  });
});

describe('an update', () => {
  const stored = unitWith({ recordSystemId: 'ERP-1', locationId: north, price: 1 });
  const update = (
    input: UpsertUnitDto,
    fields: Partial<UnitDocument> = {},
    reservations: string[] = [],
  ) => {
    const unit = Object.keys(fields).length === 0 ? stored : { ...stored, ...fields };
    const loaded = { reservations: new Map([[unit._id.toHexString(), reservations]]) };
    const workingSet = workingSetWith({ units: [unit], ...loaded });
    return { ...decide(workingSet, { recordSystemId: 'ERP-1', ...input }), before: unit };
  };

  it('changes sent fields and updatedAt', () => {
    const { unit, change } = update({ price: 2 });
    expect(unit).toEqual({ ...stored, price: 2, updatedAt: now });
    expect(change).toEqual({ before: stored, after: unit, requestId: 'request 7' });
  });

  it('stores nothing when nothing changes', () => {
    expect(update({ price: 1 })).toEqual({ operation: 'update', unit: stored, before: stored });
  });

  it('emits no event when the sent English name equals the stand-in', () => {
    const name = { 'en-us': 'فيلا', 'ar-eg': 'فيلا' };
    const sent = { name: { 'en-us': 'فيلا' } };
    const { unit, change, before: unitBefore } = update(sent, { name, nameStandIn: 'فيلا' });
    expect(unit).toBe(unitBefore);
    expect(change).toEqual({ before: unitBefore, after: { ...unitBefore, nameStandIn: null } });
  });

  const locations = { north, lake, palm, none: null };
  it.each<[UpsertUnitDto, Partial<UnitDocument>, keyof typeof locations]>([
    [{ compound: 'palm', price: 2 }, {}, 'north'],
    [{ compound: 'lake' }, {}, 'lake'],
    [{ phase: null }, {}, 'palm'],
    [{ compound: 'palm' }, { compoundId: null }, 'palm'],
    [{ price: 2 }, { locationId: null }, 'palm'],
    [{ price: 2 }, { locationId: null, compoundId: null }, 'none'],
  ])('that sends %j to a unit with %j sets the location %s', (input, fields, location) => {
    expect(update(input, fields).unit.locationId).toEqual(locations[location]);
  });

  it('moves to the sent compound, and removes references for null', () => {
    expect(update({ compound: 'lake' }).unit.compoundId).toEqual(lake);
    const linked = { propertyTypeId: villa, unitDesignId: design };
    const removed = { propertyType: null, unitDesign: null, amenities: [] };
    const { unit } = update(removed, linked);
    expect(unit).toMatchObject({ propertyTypeId: null, unitDesignId: null, amenitiesIds: [] });
  });

  it('derives the status from the reservations', () => {
    expect(update({ status: 'available' }, {}, ['approved']).unit.status).toBe('Sold');
    expect(update({ status: 'reserved' }).unit.status).toBe('Reserved');
    expect(update({ price: 2 }, {}, ['approved']).unit.status).toBe('Available');
  });
});
