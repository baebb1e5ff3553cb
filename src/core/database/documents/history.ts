/**
 * A place in a list that goes from the newest to the oldest: behind what was created after a time, and
 * behind some of what was created at that time. An index that ends with the time finds it; documents of
 * one time keep the order of that index.
 */
export interface HistoryPosition {
  readonly at: Date;
  readonly skip: number;
}

/** Which part of such a list is read. */
export interface HistoryPart {
  readonly limit: number;
  /** Where the part before it has ended; the first part has none. */
  readonly from?: HistoryPosition | undefined;
}

/** A part of a list, and where the next one begins; null at the end. */
export interface HistoryPage<T> {
  readonly items: readonly T[];
  readonly next: HistoryPosition | null;
}

/** With what a part is found: one document more than it has. */
export interface HistoryQuery {
  readonly until: { readonly createdAt?: { readonly $lte: Date } };
  readonly options: {
    readonly sort: { readonly createdAt: -1 };
    readonly skip: number;
    readonly limit: number;
  };
}

/** Reads a part of a list with a query that takes `until` into its filter, and the options. */
export async function readHistory<T extends { readonly createdAt: Date }>(
  { limit, from }: HistoryPart,
  find: (query: HistoryQuery) => Promise<readonly T[]>,
): Promise<HistoryPage<T>> {
  const found = await find({
    until: from === undefined ? {} : { createdAt: { $lte: from.at } },
    options: { sort: { createdAt: -1 }, skip: from?.skip ?? 0, limit: limit + 1 },
  });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (last === undefined || found.length <= limit) return { items, next: null };
  const time = last.createdAt.getTime();
  const ofSameTime = items.filter(({ createdAt }) => createdAt.getTime() === time).length;
  const before = from?.at.getTime() === time ? from.skip : 0;
  return { items, next: { at: last.createdAt, skip: before + ofSameTime } };
}

/** A position as text, for the address of a page. */
export function historyCursor({ at, skip }: HistoryPosition): string {
  return `${at.getTime()}.${skip}`;
}

/** Reads what {@link historyCursor} has written; undefined for anything else, which is the beginning. */
export function parseHistoryCursor(text: string | undefined): HistoryPosition | undefined {
  const match = /^(\d{1,15})\.(\d{1,6})$/.exec(text ?? '');
  if (match === null) return undefined;
  return { at: new Date(Number(match[1])), skip: Number(match[2]) };
}
