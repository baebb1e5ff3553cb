import { SchemaFactory } from '@nestjs/mongoose';
import { defaultLanguage, languages } from '../../core/localization/language.js';
import { indexChanges } from './catalogue-document.js';
import { UnitDocument } from './unit-document.js';

/** Fields by which an index finds units, newest first. */
export const unitFilterFields = [
  'unitDesignId',
  'locationId',
  'compoundId',
  'amenitiesIds',
  'propertyTypeId',
  'saleType',
  'rentalStatus',
] as const satisfies readonly (keyof UnitDocument)[];

/** Fields by which an index finds units in the order of the field. */
export const unitOrderFields = [
  'unitId',
  'price',
  'bua',
  'beds',
  'status',
] as const satisfies readonly (keyof UnitDocument)[];

/** The index by which the units of each status are counted in each compound, without the documents. */
export const unitCountIndex = 'countsByCompound';

export const unitSchema = SchemaFactory.createForClass(UnitDocument);

/** A slug names one unit of an organization. */
unitSchema.index(
  { organizationId: 1, slug: 1 },
  {
    name: 'slug',
    unique: true,
    partialFilterExpression: { isDeleted: false, slug: { $exists: true } },
  },
);
/** An outside system's id names one unit of an organization. */
unitSchema.index(
  { organizationId: 1, recordSystemId: 1 },
  {
    name: 'recordSystemId',
    unique: true,
    partialFilterExpression: { isDeleted: false, recordSystemId: { $exists: true } },
  },
);
/** A unit id names one unit of a compound. */
unitSchema.index(
  { organizationId: 1, compoundId: 1, unitId: 1 },
  {
    name: 'unitId',
    unique: true,
    partialFilterExpression: { isDeleted: false, unitId: { $exists: true } },
  },
);
/** Serves the list of what changed since a time, oldest change first, deleted ones included. */
indexChanges(unitSchema);
/** Serves copying all of an organization in the order of ids. */
unitSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });

// The others begin with `isDeleted`: so they also count what a filter matches without the documents.
const ofOrganization = { organizationId: 1, isDeleted: 1 } as const;
/** Serves the list, newest first. */
unitSchema.index({ ...ofOrganization, createdAt: -1, _id: -1 }, { name: 'by-createdAt' });
/** Serve the other orders of the list, and filters by these fields. */
for (const field of unitOrderFields) {
  unitSchema.index({ ...ofOrganization, [field]: 1, _id: 1 }, { name: `by-${field}` });
}
/**
 * Serve filters by these fields, newest first. Most are partial, so that the server tries them only then;
 * the others also tell which texts there are.
 */
for (const field of unitFilterFields) {
  const isPartial = field !== 'saleType' && field !== 'rentalStatus';
  unitSchema.index(
    { ...ofOrganization, [field]: 1, createdAt: -1, _id: -1 },
    {
      name: `by-${field}`,
      ...(isPartial ? { partialFilterExpression: { [field]: { $exists: true } } } : {}),
    },
  );
}
unitSchema.index(
  { ...ofOrganization, compoundId: 1, status: 1 },
  {
    name: unitCountIndex,
    // Lists filter by less, so that the server does not try it for them.
    partialFilterExpression: {
      isDeleted: false,
      compoundId: { $exists: true },
      status: { $exists: true },
    },
  },
);
/** Serve the order by name: units without a name in the language are in the order of the default one. */
for (const language of languages) {
  const names = { [`name.${language}`]: 1, [`name.${defaultLanguage}`]: 1 } as const;
  unitSchema.index({ ...ofOrganization, ...names, _id: 1 }, { name: `by-name.${language}` });
}
