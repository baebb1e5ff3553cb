import { isPlainObject, objectOf } from '../../core/values/plain-object.js';

/** One field that changed; `from` is null where there was none, `to` where there is none now. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * The fields in which two states of a document differ as JSON shows them.
 *
 * @param nested names of the fields whose own keys are compared one by one and reported as dotted
 * paths such as `data.email`
 */
export function fieldChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  nested: ReadonlySet<string> = new Set(),
): FieldChange[] {
  return keysOfBoth(before, after).flatMap((field) => {
    if (!nested.has(field)) return changeOf(field, before, after, field);
    const [inner, outer] = [objectOf(before[field]), objectOf(after[field])];
    return keysOfBoth(inner, outer).flatMap((key) =>
      changeOf(`${field}.${key}`, inner, outer, key),
    );
  });
}

/** The changes of an entry that another program may have stored; what is none is left out. */
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
  if (isSame && isShownAlike(before[key], after[key])) return [];
  return [{ field, from: ownValue(before, key), to: ownValue(after, key) }];
}

/**
 * Whether JSON has one form for both: the integer, decimal, id or time that another program stored
 * is what a request sends back as the number or text that it was shown.
 */
function isShownAlike(a: unknown, b: unknown): boolean {
  // Stryker disable next-line ConditionalExpression: what is the same is shown alike, only found later.
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isShownAlike(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return JSON.stringify(a) === JSON.stringify(b);
  const keys = Object.keys(a);
  const isSame = (key: string) => Object.hasOwn(b, key) && isShownAlike(a[key], b[key]);
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
