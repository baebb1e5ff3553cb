import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Decimal128, Long, ObjectId } from 'mongodb';
import type { Schema, SchemaType } from 'mongoose';
import { isStoredObject } from '../../values/json.js';

type Check = (value: unknown) => unknown;

/** Lists that lost items of other types: their positions differ from those of the stored list. */
export const filteredLists = new WeakSet<readonly unknown[]>();

const maxReported = 10_000;
const reported = new LRUCache<string, true>({ max: maxReported });
const logger = new Logger('StoredTypes');

/** Logs the ignored fields of a document once for each process (rule DATA-2). */
export function warnOfInvalidFields(
  collection: string,
  _id: unknown,
  fields: readonly string[],
): void {
  const name = `${collection} ${String(_id)}`;
  if (reported.has(name)) return;
  reported.set(name, true);
  const details = { collection, id: String(_id), fields };
  logger.warn(
    details,
    'Ignored fields of other types than the schema declares; correct them where they are written',
  );
}

/** A value of another type counts as missing (rule DATA-2), but items of a list of objects are written back. */
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

  /** Leaves out documents without an ObjectId, and fills in missing times and flags. */
  read<T extends object>(documents: readonly T[], read?: readonly string[]): T[] {
    return documents.flatMap((document) => this.readOne(document, read) ?? []);
  }

  private readOne<T extends object>(document: T, read?: readonly string[]): T | undefined {
    const fields = document as Record<string, unknown>;
    const { _id } = fields;
    const known = withKnownTypes(fields, this.checks);
    if (known !== fields) {
      const odd = Object.keys(fields).filter((name) => known[name] !== fields[name]);
      warnOfInvalidFields(this.collection, _id, odd);
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

/** Checks of top-level fields; paths below one field form its check. */
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
    if (items.every(isKnown)) return items;
    const filtered = items.filter(isKnown);
    filteredLists.add(filtered);
    return filtered;
  };
}

function ifSo(isOfType: (value: unknown) => boolean): Check {
  return (value) => (isOfType(value) ? value : undefined);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof Long || value instanceof Decimal128;
}
