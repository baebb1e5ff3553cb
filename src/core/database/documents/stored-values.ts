import { BSONRegExp, Code, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';
import { asObject } from '../../values/json.js';
import { asText } from '../../values/text.js';

export function asNumber(value: unknown): number {
  const isWide = value instanceof Decimal128 || value instanceof Long;
  const number = isWide ? Number(value.toString()) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

export function asFlag(value: unknown): boolean {
  return value === true;
}

export function asHexId(value: unknown): string {
  return value instanceof ObjectId ? value.toHexString() : '';
}

export function asId(value: unknown): string {
  return asHexId(value) || asText(value);
}

export function asTime(value: unknown): string {
  if (!(value instanceof Date)) return asText(value);
  return Number.isNaN(value.getTime()) ? '' : value.toISOString();
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asObjects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

export function asIds(value: unknown): string[] {
  return Array.isArray(value) ? value.map(asId).filter((id) => id !== '') : [];
}

// Lets `JSON.stringify` write BSON types, with all digits of 64-bit integers and decimals.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
serializeAs(Long, (value) => rawJSON(value.toString()));
serializeAs(Decimal128, decimalJson);
serializeAs(Timestamp, ({ t }) => new Date(t * 1_000).toISOString());
serializeAs(BSONRegExp, ({ pattern, options }) => `/${pattern}/${options}`);
serializeAs(Code, ({ code }) => code);
serializeAs(MinKey, () => null);
serializeAs(MaxKey, () => null);

function serializeAs<T extends object>(
  type: { readonly prototype: T },
  toJson: (value: T) => unknown,
): void {
  Object.assign(type.prototype, {
    toJSON(this: T): unknown {
      return toJson(this);
    },
  });
}

/** Drops trailing zeros of the fraction; returns null for infinity, which JSON cannot express. */
function decimalJson(value: Decimal128): unknown {
  const text = value.toString();
  if (!/\d/.test(text)) return null;
  return rawJSON(text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''));
}
