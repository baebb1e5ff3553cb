import { createHash } from 'node:crypto';
import type { Operations } from './generated/operations.js';
import type { LeadDto, PaginationDto, ReservationDto } from './generated/types.js';
import type { CallOptions } from './operation.js';
import { pauseFor, defaultRuntime, type Runtime } from './retries.js';

/** An operation with pages: `listUnits`, `listCompounds`, `listLeads` or `listReservations`. */
export type List<Item, Query = CursorQuery> = (
  // `query` is optional as in the operations. Otherwise `undefined` would become part of the inferred type.
  request: { query?: Query },
  options?: CallOptions,
) => Promise<{
  readonly data: { readonly data: readonly Item[]; readonly pagination: PaginationDto };
  readonly headers: Headers;
}>;

export interface CursorQuery {
  updatedSince?: string;
  after?: string;
  includeDeleted?: 0 | 1;
  limit?: number;
}

/** One page of changes. */
export interface Changes<Item> {
  /** New or changed items, to be stored by `_id`. */
  readonly current: readonly Item[];
  /** Ids of items to delete from the copy. */
  readonly removedIds: readonly string[];
  /** Null until the last page. Then store it with the copy, and pass it as `since` to the next run. */
  readonly mark: string | null;
}

/** Reads a whole list page by page. Because it follows the cursor, concurrent writes cannot hide items. */
export async function* pagesOf<Item, Query extends CursorQuery>(
  list: List<Item, Query>,
  query: Query,
  options?: CallOptions,
): AsyncGenerator<Awaited<ReturnType<List<Item, Query>>>, void, void> {
  let after = query.after ?? (query.updatedSince === undefined ? '0' : undefined);
  for (;;) {
    const position = after === undefined ? {} : { after };
    const page = await list({ query: { limit: 100, ...query, ...position } }, options);
    yield page;
    const { next } = page.data.pagination;
    if (next === null || next === undefined) return;
    after = next;
  }
}

export async function* itemsOf<Item, Query extends CursorQuery>(
  list: List<Item, Query>,
  query: Query,
  options?: CallOptions,
): AsyncGenerator<Item, void, void> {
  for await (const page of pagesOf(list, query, options)) yield* page.data.data;
}

/**
 * Reads the changes since a mark, or all items without one. Repeat an interrupted run with the same `since`.
 *
 * @param since the mark of the previous run
 */
export async function* changesOf<Item extends Listed>(
  list: List<Item>,
  since?: string,
  options?: CallOptions,
): AsyncGenerator<Changes<Item>, void, void> {
  const query: CursorQuery =
    since === undefined ? {} : { updatedSince: since, includeDeleted: 1 as const };
  for await (const { data, headers } of pagesOf(list, query, options)) {
    yield toChanges(data.data, headers.get('x-updated-as-of'));
  }
}

/** Reads the leads that changed since a mark, or all leads without one, as {@link changesOf} does. */
export function copyLeads(
  { listLeads }: Pick<Operations, 'listLeads'>,
  since?: string,
  options?: CallOptions,
): AsyncGenerator<Changes<LeadDto>, void, void> {
  // Only removed leads have fewer fields, and of these only the ids are returned.
  return changesOf(listLeads as List<LeadDto>, since, options);
}

/** Reads the reservations that changed since a mark, themselves or in a wallet, or all of them without one. */
export function copyReservations(
  { listReservations }: Pick<Operations, 'listReservations'>,
  since?: string,
  options?: CallOptions,
): AsyncGenerator<Changes<ReservationDto>, void, void> {
  return changesOf(listReservations, since, options);
}

interface Listed {
  readonly _id: string;
  readonly isDeleted: boolean;
  readonly updatedAt?: string;
}

function toChanges<Item extends Listed>(
  items: readonly Item[],
  mark: string | null,
): Changes<Item> {
  return {
    current: items.filter((item) => !item.isDeleted),
    removedIds: items.filter((item) => item.isDeleted).map((item) => item._id),
    mark,
  };
}

export interface FollowOptions extends CallOptions {
  /** The mark of the previous run. */
  readonly since?: string | undefined;
  /** Pause between two runs. */
  readonly pauseMs: number;
  /** Replaces the clock in tests. */
  readonly sleep?: Runtime['sleep'];
}

/**
 * Repeats `changesOf` and yields each change once, until the signal is aborted; then throws its reason. Marks are two
 * minutes early, so that each run repeats changes of the last one: these are left out.
 */
export async function* follow<Item extends Listed>(
  list: List<Item>,
  { since, pauseMs, sleep = defaultRuntime.sleep, ...options }: FollowOptions,
): AsyncGenerator<Changes<Item>, never, void> {
  let known = new Versions();
  for (let mark = since; ;) {
    // Marks never go back, so a run contains everything that the next one can repeat.
    const read = new Versions();
    for await (const changes of changesOf(unknownItemsOf(list, known, read), mark, options)) {
      yield changes;
      mark = changes.mark ?? mark;
    }
    known = read;
    await pauseFor(pauseMs, sleep, options.signal);
  }
}

/** Returns a list without the items of `known` and `read`, and adds its items to `read`. */
function unknownItemsOf<Item extends Listed>(
  list: List<Item>,
  known: Versions,
  read: Versions,
): List<Item> {
  return async (request, options) => {
    const { data, headers } = await list(request, options);
    const items = data.data.filter((item) => {
      const isKnown = known.has(item) || read.has(item);
      read.add(item);
      return !isKnown;
    });
    return { data: { ...data, data: items }, headers };
  };
}

/** Limits the memory of `follow`. A first run of more items remembers the items that changed last. */
const maxVersions = 10_000;

/** Compares contents, because a unit also changes with its compound, which leaves its `updatedAt` as it is. */
class Versions {
  private readonly versions = new Map<string, { hash: string; updatedAt: string }>();

  has(item: Listed): boolean {
    return this.versions.get(item._id)?.hash === hashOf(item);
  }

  add(item: Listed): void {
    this.versions.set(item._id, { hash: hashOf(item), updatedAt: item.updatedAt ?? '' });
    if (this.versions.size <= 2 * maxVersions) return;
    const newestFirst = [...this.versions].toSorted(([, a], [, b]) =>
      a.updatedAt < b.updatedAt ? 1 : -1,
    );
    for (const [id] of newestFirst.slice(maxVersions)) this.versions.delete(id);
  }
}

function hashOf(item: Listed): string {
  return createHash('sha256').update(JSON.stringify(item)).digest('base64');
}
