import { type Db, type Document, ObjectId } from 'mongodb';
import { addCatalogue, addCompound } from '../support/builders.js';

/** A compound with one of everything that a unit can refer to. */
export interface Catalogue {
  readonly compoundId: ObjectId;
  readonly compoundSlug: string;
  readonly phaseId: ObjectId;
  readonly villaId: ObjectId;
  readonly chaletId: ObjectId;
  readonly designId: ObjectId;
  readonly poolId: ObjectId;
  readonly gymId: ObjectId;
}

/** Writes a catalogue without units, each document with some shared fields. */
export async function addUnitCatalogue(
  db: Db,
  organizationId: ObjectId,
  shared: Document = {},
): Promise<Catalogue> {
  const compoundSlug = 'lake';
  const compoundId = await addCompound(
    db,
    organizationId,
    { 'en-us': 'Lake' },
    { slug: compoundSlug, ...shared },
  );
  const add = (collection: Parameters<typeof addCatalogue>[1], fields: Document) =>
    addCatalogue(db, collection, organizationId, { ...fields, ...shared });
  return {
    compoundId,
    compoundSlug,
    phaseId: await add('phases', {
      parentId: compoundId,
      slug: 'north',
      name: { 'en-us': 'North', 'ar-eg': 'الشمال' },
    }),
    villaId: await add('propertyTypes', {
      slug: 'villa',
      name: { 'en-us': 'Villa', 'ar-eg': 'فيلا' },
    }),
    chaletId: await add('propertyTypes', { slug: 'chalet', name: { 'en-us': 'Beach Chalet' } }),
    designId: await add('unitDesigns', {
      slug: 'garden-villa',
      name: { 'en-us': 'Garden Villa' },
      bua: 200,
      bedrooms: 3,
    }),
    poolId: await add('amenities', { name: { 'en-us': 'Pool', 'ar-eg': 'حمام سباحة' } }),
    gymId: await add('amenities', { name: { 'en-us': 'Gym' } }),
  };
}

/** Writes a unit of the catalogue as another program would. */
export function addUnit(
  db: Db,
  organizationId: ObjectId,
  { compoundId }: Pick<Catalogue, 'compoundId'>,
  fields: Document,
): Promise<ObjectId> {
  const unitId = `U-${new ObjectId().toHexString()}`;
  return addCatalogue(db, 'units', organizationId, {
    compoundId,
    locationId: compoundId,
    unitId,
    slug: unitId.toLowerCase(),
    ...fields,
  });
}
