import { isDeepStrictEqual } from 'node:util';

/** The fields in which two states differ; those of nested objects with their paths. */
export function changesBetween(before, after, nested = []) {
  const changes = [];
  for (const field of keysOf(before, after)) {
    if (!nested.includes(field)) add(changes, field, before, after, field);
    else addNested(changes, field, before[field] ?? {}, after[field] ?? {});
  }
  return changes;
}

function addNested(changes, field, before, after) {
  for (const key of keysOf(before, after)) add(changes, `${field}.${key}`, before, after, key);
}

function add(changes, field, before, after, key) {
  const has = Object.hasOwn(before, key);
  const isSame = has === Object.hasOwn(after, key) && isDeepStrictEqual(before[key], after[key]);
  if (!isSame) changes.push({ field, from: valueOf(before, key), to: valueOf(after, key) });
}

function keysOf(before, after) {
  return new Set([...Object.keys(before), ...Object.keys(after)]);
}

function valueOf(object, key) {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}
