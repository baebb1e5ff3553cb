import { ObjectId } from 'mongodb';
import { flagOf, idOf, numberOf, textOf, timeOf } from '../../database/documents/stored-values.js';

// The JSON of what the functions for stored values give. Ids, times, numbers and flags hold nothing
// that JSON would escape; other programs may have put texts in their places, which may.

export function textJson(value: unknown): string {
  return JSON.stringify(textOf(value));
}

export function numberJson(value: unknown): string {
  return String(numberOf(value));
}

export function flagJson(value: unknown): string {
  return flagOf(value) ? 'true' : 'false';
}

export function idJson(value: unknown): string {
  return value instanceof ObjectId ? `"${value.toHexString()}"` : JSON.stringify(idOf(value));
}

export function nullableIdJson(value: unknown): string {
  return nullWhereEmpty(idJson(value));
}

export function idsJson(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return '[]';
  return listJson(value.map(idJson).filter((id) => id !== emptyText));
}

export function timeJson(value: unknown): string {
  return value instanceof Date ? `"${timeOf(value)}"` : JSON.stringify(timeOf(value));
}

export function nullableTimeJson(value: unknown): string {
  return nullWhereEmpty(timeJson(value));
}

/** A list of items that are JSON already. */
export function listJson(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

const emptyText = '""';

function nullWhereEmpty(text: string): string {
  return text === emptyText ? 'null' : text;
}
