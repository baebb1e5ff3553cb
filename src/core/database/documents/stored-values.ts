import { Decimal128, Long, ObjectId } from 'mongodb';
import { objectOf } from '../../values/plain-object.js';

/** A stored document whose fields may hold whatever another program has put there. */
export type Stored<T> = { readonly [Field in keyof T]?: unknown };

/** A text; empty where there is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number of any stored numeric type; 0 where there is none. */
export function numberOf(value: unknown): number {
  const isWide = value instanceof Decimal128 || value instanceof Long;
  const number = isWide ? Number(value.toString()) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

/** A flag; false where there is none. */
export function flagOf(value: unknown): boolean {
  return value === true;
}

/** The hexadecimal form of an id; empty where there is none. */
export function hexOf(value: unknown): string {
  return value instanceof ObjectId ? value.toHexString() : '';
}

/** The hexadecimal form of an id, or an id that was stored as text; empty where there is none. */
export function idOf(value: unknown): string {
  return hexOf(value) || textOf(value);
}

export function idOrNull(value: unknown): string | null {
  return idOf(value) || null;
}

/** An ISO 8601 time; empty where there is none. */
export function timeOf(value: unknown): string {
  if (!(value instanceof Date)) return textOf(value);
  return Number.isNaN(value.getTime()) ? '' : value.toISOString();
}

export function timeOrNull(value: unknown): string | null {
  return timeOf(value) || null;
}

/** The items of a list, which JSON shows by themselves; empty where there is none. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list with their fields; what is no object reads as one without fields. */
export function objectsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(idOf).filter((id) => id !== '') : [];
}
