import { type Db, type Document, ObjectId } from 'mongodb';
import { addCatalogue, addCompound } from '../support/builders.js';

/** The ids of a compound and of one record of each kind that a unit can refer to. */
export type Catalogue = Readonly<
  Record<
    'compoundId' | 'phaseId' | 'villaId' | 'chaletId' | 'designId' | 'poolId' | 'gymId',
    ObjectId
  >
> & { readonly compoundSlug: string };

/** Writes a catalogue without units, and gives each document some shared fields. */
export async function addUnitCatalogue(
  db: Db,
  organizationId: ObjectId,
  shared: Document = {},
): Promise<Catalogue> {
  const slug = 'lake';
  const compoundId = await addCompound(
    db,
    organizationId,
    { 'en-us': 'Lake' },
    { slug, ...shared },
  );
  const add = (
    collection: Parameters<typeof addCatalogue>[1],
    [english, arabic]: readonly [string, string?],
    fields: Document = {},
  ) => {
    const name = { 'en-us': english, ...(arabic !== undefined && { 'ar-eg': arabic }) };
    return addCatalogue(db, collection, organizationId, { name, ...fields, ...shared });
  };
  const north = { parentId: compoundId, slug: 'north' };
  const design = { slug: 'garden-villa', bua: 200, bedrooms: 3 };
  return {
    compoundId,
    compoundSlug: slug,
    phaseId: await add('phases', ['North', 'الشمال'], north),
    villaId: await add('propertyTypes', ['Villa', 'فيلا'], { slug: 'villa' }),
    chaletId: await add('propertyTypes', ['Beach Chalet'], { slug: 'chalet' }),
    designId: await add('unitDesigns', ['Garden Villa'], design),
    poolId: await add('amenities', ['Pool', 'حمام سباحة']),
    gymId: await add('amenities', ['Gym']),
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
  const slug = unitId.toLowerCase();
  const defaults = { compoundId, locationId: compoundId, unitId, slug };
  return addCatalogue(db, 'units', organizationId, { ...defaults, ...fields });
}
