import { isStoredObject } from '../../values/plain-object.js';
import type { TenantDocument } from './tenant-document.js';
import type { TenantUpdate, WriteOf } from './tenant-queries.js';

/** Two states of a document; without the first one it is new. */
export interface Change<T> {
  readonly before: T | undefined;
  readonly after: T;
}

/** Inserts a new document, and stores of another one only the values that differ. */
export function buildWrite<T extends TenantDocument>({ before, after }: Change<T>): WriteOf<T> {
  if (before === undefined) return { insert: after };
  return { _id: before._id, update: updateBetween(before, after) };
}

interface Difference {
  readonly path: string;
  readonly value: unknown;
}

/**
 * The update that makes one state of a document into another one. It writes nothing else: values of
 * other programs, such as a time beyond JavaScript's range, would come back changed.
 */
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

/** The paths at which two objects or lists differ; the value of a removed field is undefined. */
function differencesOf(before: object, after: object, prefix = ''): Difference[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const [from, to] = [old.get(field), now.get(field)];
    if (Object.is(from, to)) return [];
    const path = prefix + field;
    return areComparedWithin(from, to)
      ? differencesOf(from as object, to as object, `${path}.`)
      : { path, value: to };
  });
}

function fieldsOf(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value));
}

/** Objects, and lists to which something may have been added; a shorter list is stored as a whole. */
function areComparedWithin(from: unknown, to: unknown): boolean {
  if (Array.isArray(from) && Array.isArray(to)) return to.length >= from.length;
  return isStoredObject(from) && isStoredObject(to);
}
