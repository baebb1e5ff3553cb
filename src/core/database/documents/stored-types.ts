import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Decimal128, Long, ObjectId } from 'mongodb';
import type { Schema, SchemaType } from 'mongoose';
import { isStoredObject } from '../../values/plain-object.js';

/** Says of a value what is left of it: the value itself when it has its type, undefined when it is odd. */
type Check = (value: unknown) => unknown;

/** How many documents with odd fields are remembered; one that is forgotten is reported again. */
const maxReported = 10_000;
const reported = new LRUCache<string, true>({ max: maxReported });
const logger = new Logger('StoredTypes');

/** Logs once for each document and process which of its fields count as not there (rule DATA-2). */
export function reportOddFields(collection: string, _id: unknown, fields: readonly string[]): void {
  const name = `${collection} ${String(_id)}`;
  if (reported.has(name)) return;
  reported.set(name, true);
  const details = { collection, id: String(_id), fields };
  logger.warn(details, 'Fields of a document have other types than they should; they are ignored');
}

/**
 * Reads documents of other programs by the types of a schema: a value of another type counts as not
 * there, so that nothing that reads it has to expect everything (rule DATA-2). The items of a list of
 * objects stay as they are: they are written back with it.
 */
export class StoredTypes {
  private readonly checks: ReadonlyMap<string, Check>;
  private readonly conventions: readonly string[];

  constructor(
    schema: Schema,
    private readonly collection: string,
  ) {
    this.checks = checksOf(Object.entries(schema.paths));
    const names = ['createdAt', 'updatedAt', 'isDeleted'];
    this.conventions = names.filter((name) => schema.path(name) !== undefined);
  }

  /**
   * The documents of which the ids are ids, with fields that have their types.
   *
   * @param read the fields that were asked for, all without it: those of the conventions are filled in
   */
  read<T extends object>(documents: readonly T[], read?: readonly string[]): T[] {
    return documents.flatMap((document) => this.readOne(document, read) ?? []);
  }

  private readOne<T extends object>(document: T, read?: readonly string[]): T | undefined {
    const fields = document as Record<string, unknown>;
    const { _id } = fields;
    const known = withKnownTypes(fields, this.checks);
    if (known !== fields) {
      const odd = Object.keys(fields).filter((name) => known[name] !== fields[name]);
      reportOddFields(this.collection, _id, odd);
    }
    if (!(_id instanceof ObjectId)) return undefined;
    const missing = this.conventions.filter(
      (name) => (known[name] ?? null) === null && (read?.includes(name) ?? true),
    );
    if (missing.length === 0) return known as T;
    const createdAt = known['createdAt'] ?? _id.getTimestamp();
    const values: Record<string, unknown> = { createdAt, updatedAt: createdAt, isDeleted: false };
    return { ...known, ...Object.fromEntries(missing.map((name) => [name, values[name]])) } as T;
  }
}

/** The object itself where nothing in it is odd. */
function withKnownTypes(
  fields: Record<string, unknown>,
  checks: ReadonlyMap<string, Check>,
): Record<string, unknown> {
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

/** The checks of the fields at the top, of paths with dots put together. */
function checksOf(paths: readonly (readonly [string, SchemaType])[]): ReadonlyMap<string, Check> {
  const byTop = Map.groupBy(paths, ([path]) => path.split('.', 1)[0] ?? '');
  return new Map(
    [...byTop].map(([top, group]) => {
      const inner = group.map(([path, type]) => [path.slice(top.length + 1), type] as const);
      const [[path, type] = ['', undefined]] = inner;
      return [top, path === '' && type !== undefined ? checkOf(type) : objectCheck(inner)];
    }),
  );
}

function objectCheck(paths: readonly (readonly [string, SchemaType])[]): Check {
  const checks = checksOf(paths);
  return (value) => (isStoredObject(value) ? withKnownTypes(value, checks) : undefined);
}

function checkOf({ instance, options, ...type }: SchemaType): Check {
  switch (instance) {
    case 'String':
      return ifSo((value) => typeof value === 'string');
    case 'Number':
      return ifSo(isNumber);
    case 'Boolean':
      return ifSo((value) => typeof value === 'boolean');
    case 'Date':
      return ifSo((value) => value instanceof Date && !Number.isNaN(value.getTime()));
    case 'ObjectId':
      return ifSo((value) => value instanceof ObjectId);
    case 'Array':
      return listCheck((type as { embeddedSchemaType?: SchemaType }).embeddedSchemaType);
    default:
      return (options as { bsonType?: string }).bsonType === 'object'
        ? ifSo(isStoredObject)
        : (value) => value;
  }
}

function listCheck(ofItem: SchemaType | undefined): Check {
  const isScalar = ['String', 'Number', 'ObjectId'].includes(ofItem?.instance ?? '');
  if (ofItem === undefined || !isScalar) return ifSo(Array.isArray);
  const check = checkOf(ofItem);
  const isKnown = (item: unknown) => check(item) !== undefined;
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items: readonly unknown[] = value;
    return items.every(isKnown) ? items : items.filter(isKnown);
  };
}

function ifSo(isOfType: (value: unknown) => boolean): Check {
  return (value) => (isOfType(value) ? value : undefined);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof Long || value instanceof Decimal128;
}
