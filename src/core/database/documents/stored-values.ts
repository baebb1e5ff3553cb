import { Decimal128, Long, ObjectId } from 'mongodb';
import { objectOf } from '../../values/json.js';

export type Stored<T> = { readonly [Field in keyof T]?: unknown };

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number {
  const isWide = value instanceof Decimal128 || value instanceof Long;
  const number = isWide ? Number(value.toString()) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

export function flagOf(value: unknown): boolean {
  return value === true;
}

export function hexOf(value: unknown): string {
  return value instanceof ObjectId ? value.toHexString() : '';
}

/** An id may be stored as text, too. */
export function idOf(value: unknown): string {
  return hexOf(value) || textOf(value);
}

export function idOrNull(value: unknown): string | null {
  return idOf(value) || null;
}

export function timeOf(value: unknown): string {
  if (!(value instanceof Date)) return textOf(value);
  return Number.isNaN(value.getTime()) ? '' : value.toISOString();
}

export function timeOrNull(value: unknown): string | null {
  return timeOf(value) || null;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(idOf).filter((id) => id !== '') : [];
}
