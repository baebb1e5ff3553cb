import { isPlainObject, asObject } from '../../core/values/json.js';

/** Null stands for a missing value. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** @param nested fields whose keys are compared one by one, with paths such as `data.email` */
export function fieldChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  nested: ReadonlySet<string> = new Set(),
): FieldChange[] {
  return keysOfBoth(before, after).flatMap((field) => {
    if (!nested.has(field)) return changeOf(field, before, after, field);
    const [inner, outer] = [asObject(before[field]), asObject(after[field])];
    return keysOfBoth(inner, outer).flatMap((key) =>
      changeOf(`${field}.${key}`, inner, outer, key),
    );
  });
}

/** Omits invalid changes of other programs. */
export function storedChanges(value: unknown): FieldChange[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter(isFieldChange);
}

function isFieldChange(value: unknown): value is FieldChange {
  return isPlainObject(value) && typeof value['field'] === 'string';
}

function changeOf(
  field: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  key: string,
): FieldChange[] {
  const isSame = Object.hasOwn(before, key) === Object.hasOwn(after, key);
  if (isSame && isEqualAsJson(before[key], after[key])) return [];
  return [{ field, from: ownValue(before, key), to: ownValue(after, key) }];
}

/** Clients send back stored integers, decimals, ids and times as the numbers or strings they were shown. */
function isEqualAsJson(a: unknown, b: unknown): boolean {
  // Stryker disable next-line ConditionalExpression: this only saves time.
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqualAsJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return JSON.stringify(a) === JSON.stringify(b);
  const keys = Object.keys(a);
  const isSame = (key: string) => Object.hasOwn(b, key) && isEqualAsJson(a[key], b[key]);
  return keys.length === Object.keys(b).length && keys.every(isSame);
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && !(value instanceof Date);
}

function keysOfBoth(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function ownValue(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(fields, key) ? (fields[key] ?? null) : null;
}
