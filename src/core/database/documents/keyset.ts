import { BSON, Decimal128, type Document, Double, Int32, Long, MinKey, ObjectId } from 'mongodb';

export type SortOrder = Readonly<Record<string, 1 | -1>>;

export type KeysetPosition = readonly unknown[];

export interface KeysetRequest {
  readonly limit: number;
  readonly after?: KeysetPosition | undefined;
}

export interface KeysetPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export const newestFirst = { createdAt: -1, _id: -1 } as const;

export async function readPage<T extends object, O extends SortOrder>(
  sort: O,
  { limit, after }: KeysetRequest,
  find: (filter: object, options: { sort: O; limit: number }) => Promise<readonly T[]>,
): Promise<KeysetPage<T>> {
  const found = await find(afterPosition(after, sort), { sort, limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : encodeCursor(positionOf(last, sort)) };
}

/**
 * An order that starts with `_id` gets the organization as a prefix, or the server would use the `_id` index
 * of all tenants. Other orders get none, because it would keep the server from merging sorted index ranges.
 */
export function tenantIndexOrder(sort: SortOrder): SortOrder {
  return Object.keys(sort)[0] === '_id' ? { organizationId: 1, ...sort } : sort;
}

export function positionOf(document: object, order: SortOrder): KeysetPosition {
  return Object.keys(order).map((path) => {
    const steps = path.split('.');
    return steps.reduce<unknown>((value, step) => (value as Document | null)?.[step], document);
  });
}

/** The expression is exact for values of all types; the broader conditions provide index bounds. */
export function afterPosition(position: KeysetPosition | undefined, order: SortOrder): Document {
  if (position === undefined) return {};
  const keys = Object.entries(order).map(([path, direction], index) => ({
    path,
    direction,
    value: position[index] ?? null,
  }));
  const compared = keys.map(({ path, direction, value }) => {
    const [stored, given] = [
      sortKey(`$${path}`, direction),
      sortKey({ $literal: value }, direction),
    ];
    return {
      isEqual: { $eq: [stored, given] },
      isAfter: { [direction === 1 ? '$gt' : '$lt']: [stored, given] },
    };
  });
  const isAfter = compared.map((key, index) => ({
    $and: [...compared.slice(0, index).map(({ isEqual }) => isEqual), key.isAfter],
  }));
  const exact = { $expr: { $or: isAfter } };
  if (!keys.every(({ value }) => hasBounds(value))) return exact;
  const bounds = keys.map(({ path, direction, value }, index) => ({
    ...Object.fromEntries(keys.slice(0, index).map((key) => [key.path, { $eq: key.value }])),
    [path]: direction === 1 ? isAbove(value) : isBelow(value),
  }));
  return { $or: bounds, ...exact };
}

/** The server sorts a list by its least or greatest item, and an empty one before null. */
function sortKey(field: string | object, direction: 1 | -1): object {
  const item = { [direction === 1 ? '$min' : '$max']: field };
  return { $cond: [{ $eq: [field, []] }, '$$REMOVE', { $ifNull: [item, null] }] };
}

/** Matches values of other types, too, but not null, because most missing fields are null. */
function isAbove(value: unknown): Document {
  return value === null ? { $ne: null } : { $not: { $lte: value }, $ne: null };
}

function isBelow(value: unknown): Document {
  return value === null ? { $in: [[], new MinKey()] } : { $not: { $gte: value } };
}

const numberTypes = [Decimal128, Double, Int32, Long];

function hasBounds(value: unknown): boolean {
  if (value === null || value instanceof Date || value instanceof ObjectId) return true;
  if (['string', 'number', 'boolean'].includes(typeof value)) return true;
  return numberTypes.some((type) => value instanceof type);
}

export function encodeCursor(values: readonly unknown[]): string {
  return Buffer.from(BSON.EJSON.stringify(values, { relaxed: false })).toString('base64url');
}

/** Returns null for an invalid cursor. A forged one is harmless: its values are only compared. */
export function decodeCursor(text: string): unknown[] | null {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(json) || depthOf(json) > maxDepth) return null;
    const values: unknown = BSON.EJSON.deserialize(json, { relaxed: false });
    BSON.serialize({ values });
    return values as unknown[];
  } catch {
    return null;
  }
}

/** Half of the nesting depth that MongoDB accepts. */
const maxDepth = 100;

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
