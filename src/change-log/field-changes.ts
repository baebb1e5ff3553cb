import { isDeepStrictEqual } from 'node:util';

/** One field that changed; `from` is null where there was none, `to` where there is none now. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * The fields in which two states of a document differ.
 *
 * @param nested names of the fields whose own keys are compared one by one and reported as dotted
 * paths such as `data.email`
 */
export function fieldChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  nested: readonly string[] = [],
): FieldChange[] {
  return keysOfBoth(before, after).flatMap((field) => {
    if (!nested.includes(field)) return changeOf(field, before, after, field);
    const [inner, outer] = [objectOf(before[field]), objectOf(after[field])];
    return keysOfBoth(inner, outer).flatMap((key) =>
      changeOf(`${field}.${key}`, inner, outer, key),
    );
  });
}

function changeOf(
  field: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  key: string,
): FieldChange[] {
  const isSame = Object.hasOwn(before, key) === Object.hasOwn(after, key);
  if (isSame && isDeepStrictEqual(before[key], after[key])) return [];
  return [{ field, from: ownValue(before, key), to: ownValue(after, key) }];
}

function keysOfBoth(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function ownValue(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(fields, key) ? (fields[key] ?? null) : null;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
