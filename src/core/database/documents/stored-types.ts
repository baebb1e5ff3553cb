import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Decimal128, type Document, Long, ObjectId } from 'mongodb';
import type { Schema } from 'mongoose';
import { isStoredObject } from '../../values/json.js';

interface Shape {
  readonly bsonType?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** Checks declared fields only: other programs store their own fields (rule DATA-2). */
export function documentValidator(schema: Schema): { readonly $jsonSchema: Document & Shape } {
  const generated = schema.toJSONSchema({ useBsonType: true }) as Document;
  const properties = generated['properties'] as Document;
  for (const [path, { options }] of Object.entries(schema.paths)) {
    const { bsonType } = options as { bsonType?: string };
    if (bsonType !== undefined) properties[path] = { bsonType: [bsonType, 'null'] };
  }
  // Enums are omitted because other programs may store values of their own. Sorting makes validators comparable.
  const text = JSON.stringify(generated, (key, value: unknown) => {
    if (key === 'enum') return undefined;
    return key === 'required' && Array.isArray(value) ? (value as string[]).toSorted() : value;
  });
  return { $jsonSchema: { bsonType: 'object', ...(JSON.parse(text) as Document) } };
}

/** Returns the value, its valid parts, or undefined if its type is wrong. */
type Check = (value: unknown) => unknown;

type Checks = readonly (readonly [name: string, check: Check])[];

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) =>
    typeof value === 'number' || value instanceof Long || value instanceof Decimal128,
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  objectId: (value) => value instanceof ObjectId,
  array: Array.isArray,
  object: isStoredObject,
};

/** Contains lists that lost items of other types, so that their positions differ from those in the database. */
export const filteredLists = new WeakSet<readonly unknown[]>();

const maxWarnedDocuments = 10_000;
const warnedDocuments = new LRUCache<string, true>({ max: maxWarnedDocuments });
const logger = new Logger('StoredTypes');

/** Logs a document's ignored fields once per process (rule DATA-2). */
export function warnAboutInvalidFields(
  collection: string,
  _id: unknown,
  fields: readonly string[],
): void {
  const name = `${collection} ${String(_id)}`;
  if (warnedDocuments.has(name)) return;
  warnedDocuments.set(name, true);
  const details = { collection, id: String(_id), fields };
  logger.warn(
    details,
    'Ignored fields whose types differ from the schema; correct them in the program that writes them',
  );
}

/** A value of another type counts as missing (rule DATA-2), but a list of objects keeps such items on writes. */
export class StoredTypes {
  private readonly checks: Checks;
  private readonly defaultedFields: readonly string[];

  constructor(
    schema: Schema,
    private readonly collection: string,
  ) {
    this.checks = checksOf(documentValidator(schema).$jsonSchema);
    const names = ['createdAt', 'updatedAt', 'isDeleted'];
    this.defaultedFields = names.filter((name) => schema.path(name) !== undefined);
  }

  /** Omits documents without an ObjectId, and fills in missing times and flags. */
  read<T extends object>(documents: readonly T[], read?: readonly string[]): T[] {
    return documents.flatMap((document) => this.readOne(document, read) ?? []);
  }

  private readOne<T extends object>(document: T, read?: readonly string[]): T | undefined {
    const fields = document as Record<string, unknown>;
    const { _id } = fields;
    const known = withValidTypes(fields, this.checks);
    if (known !== fields) {
      const invalid = Object.keys(fields).filter((name) => known[name] !== fields[name]);
      warnAboutInvalidFields(this.collection, _id, invalid);
    }
    if (!(_id instanceof ObjectId)) return undefined;
    const missing = this.defaultedFields.filter(
      (name) => (known[name] ?? null) === null && (read?.includes(name) ?? true),
    );
    if (missing.length === 0) return known as T;
    const createdAt = known['createdAt'] ?? _id.getTimestamp();
    const values: Record<string, unknown> = { createdAt, updatedAt: createdAt, isDeleted: false };
    return { ...known, ...Object.fromEntries(missing.map((name) => [name, values[name]])) } as T;
  }
}

function withValidTypes(fields: Record<string, unknown>, checks: Checks): Record<string, unknown> {
  let known = fields;
  for (const [name, check] of checks) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    const left = check(value);
    if (left === value) continue;
    if (known === fields) known = { ...fields };
    if (left === undefined) delete known[name];
    else known[name] = left;
  }
  return known;
}

function checksOf({ properties = {} }: Shape): Checks {
  return Object.entries(properties).map(([name, shape]) => [name, checkOf(shape)]);
}

function checkOf(shape: Shape): Check {
  const { bsonType = [], properties, items } = shape;
  const [type = ''] = [bsonType].flat();
  const { [type]: isKnown = () => true } = isOfType;
  const itemCheck = items && !items.properties ? checkOf(items) : undefined;
  const checks = checksOf(shape);
  return (value) => {
    if (!isKnown(value)) return undefined;
    if (itemCheck !== undefined) return validItems(value as unknown[], itemCheck);
    return properties ? withValidTypes(value as Record<string, unknown>, checks) : value;
  };
}

function validItems(items: readonly unknown[], check: Check): readonly unknown[] {
  const isKnown = (item: unknown) => check(item) !== undefined;
  if (items.every(isKnown)) return items;
  const filtered = items.filter(isKnown);
  filteredLists.add(filtered);
  return filtered;
}
