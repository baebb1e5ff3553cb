import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { decideUnit } from './unit-decision.js';
import { slugTexts } from './unit-fields.js';
import { type LoadedUnits, UnitRecords } from './unit-records.js';
import type { UpsertUnitDto } from '../unit.dto.js';

const organizationId = new ObjectId();
const before = new Date('2026-01-05T08:00:00Z');
const now = new Date('2026-02-01T12:00:00Z');
const [palm, lake, north, villa, pool, gym] = Array.from({ length: 6 }, () => new ObjectId());
const design = new ObjectId();

function unitWith(fields: Partial<UnitDocument> = {}): UnitDocument {
  return {
    _id: new ObjectId(),
    organizationId,
    name: { 'en-us': 'Villa' },
    slug: `villa-${new ObjectId().toHexString()}`,
    compoundId: palm,
    locationId: palm,
    status: 'Available',
    isDeleted: false,
    createdAt: before,
    updatedAt: before,
    ...fields,
  } as UnitDocument;
}

function recordsWith(loaded: Partial<LoadedUnits> = {}): UnitRecords {
  return new UnitRecords({
    organizationId,
    now,
    units: [],
    compounds: new Map([
      ['palm', palm as ObjectId],
      ['lake', lake as ObjectId],
    ]),
    phases: [
      { _id: north as ObjectId, parentId: palm as ObjectId, slug: 'north' },
      { _id: new ObjectId(), parentId: palm as ObjectId, slug: 'north' },
    ],
    propertyTypes: new Map([['Villa', villa as ObjectId]]),
    unitDesigns: new Map([['type-a', design]]),
    amenities: new Map([
      ['Pool', pool as ObjectId],
      ['Swimming', pool as ObjectId],
      ['Gym', gym as ObjectId],
    ]),
    reservations: new Map(),
    usedSlugs: [],
    ...loaded,
  });
}

const caller = { organizationId, requestId: 'request 7', language: 'en-us' } as Caller;
const decide = (records: UnitRecords, input: UpsertUnitDto) =>
  decideUnit(records, { caller, input });

/** The code of the refusal of a request, and the values of its messages. */
function refusalOf(records: UnitRecords, input: UpsertUnitDto) {
  try {
    decide(records, input);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    const { definition, messages } = error as DomainError;
    return [definition.code, ...messages.map(({ values }) => values)];
  }
  throw new Error('It was not refused.');
}

describe('a new unit', () => {
  it('has the sent fields, links, defaults and the id of the request', () => {
    const { operation, unit, change } = decide(recordsWith(), {
      recordSystemId: 'ERP-1',
      unitId: 'A-1',
      name: 'Garden Villa',
      compound: 'palm',
      phase: 'north',
      propertyType: 'Villa',
      unitDesign: 'type-a',
      amenities: ['Pool', 'Swimming', 'Gym'],
      price: 5,
    });
    expect(operation).toBe('create');
    expect(change).toEqual({ before: undefined, after: unit, requestId: 'request 7' });
    expect(unit).toMatchObject({
      organizationId,
      recordSystemId: 'ERP-1',
      unitId: 'A-1',
      name: { 'en-us': 'Garden Villa' },
      nameStandIn: null,
      slug: 'garden-villa',
      compoundId: palm,
      locationId: north,
      propertyTypeId: villa,
      unitDesignId: design,
      amenitiesIds: [pool, gym],
      price: 5,
      status: 'Available',
      rentalStatus: 'Unavailable',
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    });
  });

  it('has defaults: the location of its compound, its id as the name, and empty lists', () => {
    const { unit } = decide(recordsWith(), { unitId: 'A-1', compound: 'palm' });
    expect(unit).toMatchObject({
      locationId: palm,
      name: { 'en-us': 'A-1' },
      nameStandIn: 'A-1',
      slug: 'a-1',
    });
    const lists = { amenitiesIds: [], media: [], reviews: [], listingType: [] };
    const flags = { showForBrokers: false, isAdminOnly: false, allowToTaskeen: false };
    expect(unit).toMatchObject({ ...lists, ...flags });
    const recorded = decide(recordsWith(), { recordSystemId: 'ERP-1', compound: 'palm' });
    expect(recorded.unit.name).toEqual({ 'en-us': 'ERP-1' });
  });

  it('gets the best slug that no unit or earlier request has', () => {
    const records = recordsWith({ usedSlugs: ['villa'] });
    const create = (unitId: string) =>
      decide(records, { unitId, name: 'Villa', compound: 'palm' }).unit;
    expect(create('A-1').slug).toBe('villa-a-1');
    const other = decide(records, { recordSystemId: 'a 1', name: 'Villa', compound: 'palm' });
    expect(other.unit.slug).toBe(`villa-${other.unit._id.toHexString()}`);
    expect(slugTexts({ unitId: 'A-1', recordSystemId: 'x' })).toEqual(['A-1', 'A-1', 'x']);
  });

  it('is rejected when the compound is missing or unknown', () => {
    expect(refusalOf(recordsWith(), { unitId: 'A-1' })).toEqual(['unit.compound_required', {}]);
    expect(refusalOf(recordsWith(), { unitId: 'A-1', compound: 'nowhere' })).toEqual([
      'unit.unknown_name',
      { property: 'compound', value: 'nowhere' },
    ]);
  });

  it('is rejected with every unknown name', () => {
    const names = { phase: 'south', propertyType: 'castle', unitDesign: 'b', amenities: ['moat'] };
    expect(refusalOf(recordsWith(), { unitId: 'A-1', compound: 'palm', ...names })).toEqual([
      'unit.unknown_name',
      { property: 'phase', value: 'south' },
      { property: 'propertyType', value: 'castle' },
      { property: 'unitDesign', value: 'b' },
      { property: 'amenities', value: 'moat' },
    ]);
    const elsewhere = { unitId: 'A-1', compound: 'lake', phase: 'north' };
    expect(refusalOf(recordsWith(), elsewhere)).toContainEqual({
      property: 'phase',
      value: 'north',
    });
  });
});

describe('the unit of a request', () => {
  const recorded = unitWith({ recordSystemId: 'ERP-1', unitId: 'A-1' });
  const unrecorded = unitWith({ unitId: 'A-2' });
  const records = () => recordsWith({ units: [recorded, unrecorded] });

  it('is found by external id, otherwise by unitId within the compound', () => {
    const byRecord = decide(records(), { recordSystemId: 'ERP-1', price: 1 });
    expect([byRecord.operation, byRecord.unit._id]).toEqual(['update', recorded._id]);
    const byUnitId = decide(records(), { unitId: 'A-2', price: 1 });
    expect([byUnitId.operation, byUnitId.unit._id]).toEqual(['update', unrecorded._id]);
    const both = { recordSystemId: 'ERP-2', unitId: 'A-2', compound: 'palm' };
    expect(decide(records(), both).unit).toMatchObject({
      _id: unrecorded._id,
      recordSystemId: 'ERP-2',
    });
    expect(decide(records(), { unitId: 'A-2', compound: 'lake' }).operation).toBe('create');
    const recordedByUnitId = decide(records(), { unitId: 'A-1', price: 1 });
    expect(recordedByUnitId.unit._id).toEqual(recorded._id);
  });

  it('is none of the units without unitId when it has only an external id', () => {
    const nameless = recordsWith({ units: [unitWith()] });
    const { operation } = decide(nameless, { recordSystemId: 'ERP-7', compound: 'palm' });
    expect(operation).toBe('create');
  });

  it('is rejected when its unitId belongs to another unit', () => {
    const taken = { recordSystemId: 'ERP-9', unitId: 'A-1', compound: 'palm' };
    expect(refusalOf(records(), taken)).toEqual(['unit.unit_id_taken', { unitId: 'A-1' }]);
    const renamed = { recordSystemId: 'ERP-1', unitId: 'A-2' };
    expect(refusalOf(records(), renamed)).toEqual(['unit.unit_id_taken', { unitId: 'A-2' }]);
  });

  it('is rejected as ambiguous when several compounds have its unitId', () => {
    const twice = recordsWith({
      units: [unrecorded, unitWith({ unitId: 'A-2', compoundId: lake as ObjectId })],
    });
    expect(refusalOf(twice, { unitId: 'A-2' })).toEqual(['unit.ambiguous', { unitId: 'A-2' }]);
    expect(decide(twice, { unitId: 'A-2', compound: 'palm', price: 1 }).unit._id).toBe(
      unrecorded._id,
    );
  });

  it('is the unit that an earlier request created, until it is retired', () => {
    const shared = records();
    const created = decide(shared, { recordSystemId: 'ERP-7', compound: 'palm', name: 'New' });
    expect(decide(shared, { recordSystemId: 'ERP-7', price: 1 }).unit._id).toBe(created.unit._id);
    const retired = decide(shared, { recordSystemId: 'ERP-7', isDeleted: true });
    expect(retired.unit).toMatchObject({ isDeleted: true, deletedAt: now });
    expect(refusalOf(shared, { recordSystemId: 'ERP-7', isDeleted: true })[0]).toBe(
      'unit.none_to_delete',
    );
    const again = decide(shared, { recordSystemId: 'ERP-7', compound: 'palm', name: 'New' });
    expect([again.operation, again.unit.slug]).toEqual(['create', 'new']);
    expect(shared.changes).toHaveLength(4);
    expect(shared.bytes).toBeGreaterThan(0);
    expect(shared.lockKeys).toEqual([]);
  });
});

describe('an update', () => {
  const stored = unitWith({ recordSystemId: 'ERP-1', locationId: north as ObjectId, price: 1 });
  const update = (input: UpsertUnitDto, unit = stored, loaded: Partial<LoadedUnits> = {}) =>
    decide(recordsWith({ units: [unit], ...loaded }), { recordSystemId: 'ERP-1', ...input });

  it('changes sent fields and updatedAt', () => {
    const { unit, change } = update({ price: 2 });
    expect(unit).toEqual({ ...stored, recordSystemId: 'ERP-1', price: 2, updatedAt: now });
    expect(change).toEqual({ before: stored, after: unit, requestId: 'request 7' });
  });

  it('stores nothing when nothing changes', () => {
    expect(update({ price: 1 })).toEqual({ operation: 'update', unit: stored });
  });

  it('keeps a repeated stand-in name without an event', () => {
    const standing = { ...stored, name: { 'en-us': 'فيلا', 'ar-eg': 'فيلا' }, nameStandIn: 'فيلا' };
    const { unit, change } = update({ name: { 'en-us': 'فيلا' } }, standing);
    expect(unit).toBe(standing);
    expect(change).toEqual({ before: standing, after: { ...standing, nameStandIn: null } });
  });

  it('keeps the phase within the same compound, and removes it for null', () => {
    expect(update({ compound: 'palm', price: 2 }).unit.locationId).toBe(north);
    expect(update({ compound: 'lake' }).unit).toMatchObject({ compoundId: lake, locationId: lake });
    expect(update({ phase: null }).unit.locationId).toBe(palm);
    const homeless = { ...stored, compoundId: null };
    expect(update({ compound: 'palm' }, homeless).unit.locationId).toBe(palm);
    const nowhere = { ...stored, locationId: null };
    expect(update({ price: 2 }, nowhere).unit.locationId).toBe(palm);
    expect(update({ price: 2 }, { ...nowhere, compoundId: null }).unit.locationId).toBeNull();
  });

  it('removes references for null', () => {
    const linked = { ...stored, propertyTypeId: villa as ObjectId, unitDesignId: design };
    const { unit } = update({ propertyType: null, unitDesign: null, amenities: [] }, linked);
    expect(unit).toMatchObject({ propertyTypeId: null, unitDesignId: null, amenitiesIds: [] });
  });

  it('derives the status from the reservations', () => {
    const reservations = new Map([[stored._id.toHexString(), ['approved']]]);
    expect(update({ status: 'available' }, stored, { reservations }).unit.status).toBe('Sold');
    expect(update({ status: 'reserved' }).unit.status).toBe('Reserved');
    expect(update({ price: 2 }, stored, { reservations }).unit.status).toBe('Available');
  });
});
