import { isStoredObject } from '../../values/json.js';
import type { TenantDocument } from './tenant-document.js';
import type { TenantUpdate, TenantWrite } from './tenant-queries.js';

export interface DocumentChange<T> {
  readonly before: T | undefined;
  readonly after: T;
}

export function buildWrite<T extends TenantDocument>({
  before,
  after,
}: DocumentChange<T>): TenantWrite<T> {
  if (before === undefined) return { insert: after };
  return { _id: before._id, update: updateBetween(before, after) };
}

interface Difference {
  readonly path: string;
  readonly value: unknown;
}

/** Writes only differences: rewriting could change values of other programs, such as out-of-range times. */
function updateBetween<T extends object>(before: T, after: T): TenantUpdate<T> {
  const differences = differencesOf(before, after);
  const removed = differences.filter(({ value }) => value === undefined);
  const set = differences.filter(({ value }) => value !== undefined);
  return {
    $set: Object.fromEntries(set.map(({ path, value }) => [path, value])) as Partial<T>,
    ...(removed.length === 0
      ? {}
      : { $unset: Object.fromEntries(removed.map(({ path }) => [path, ''])) }),
  } as TenantUpdate<T>;
}

function differencesOf(before: object, after: object, prefix = ''): Difference[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const [from, to] = [old.get(field), now.get(field)];
    if (Object.is(from, to)) return [];
    const path = prefix + field;
    return canBeComparedInside(from, to)
      ? differencesOf(from as object, to as object, `${path}.`)
      : { path, value: to };
  });
}

function fieldsOf(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value));
}

/** A list is stored as a whole if it got shorter. */
function canBeComparedInside(from: unknown, to: unknown): boolean {
  if (Array.isArray(from) && Array.isArray(to)) return to.length >= from.length;
  return isStoredObject(from) && isStoredObject(to);
}
