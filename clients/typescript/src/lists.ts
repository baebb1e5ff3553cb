import type { PaginationDto } from './generated/types.js';
import type { CallOptions } from './operation.js';
import { pauseFor, realSurroundings, type Surroundings } from './retries.js';

/** An operation that gives a list in pages: `listUnits` or `listCompounds`. */
export type List<Item, Query = CursorQuery> = (
  // Optional as in the operations: else `undefined` becomes a part of what is inferred as the query.
  request: { query?: Query },
  options?: CallOptions,
) => Promise<{
  readonly data: { readonly data: readonly Item[]; readonly pagination: PaginationDto };
  readonly headers: Headers;
}>;

/** What of a query the cursors are made with. */
export interface CursorQuery {
  updatedSince?: string;
  after?: string;
  includeDeleted?: 0 | 1;
  limit?: number;
}

/** What changed, as one page of it. */
export interface Changes<Item> {
  /** New or changed: to be stored by `_id`. */
  readonly current: readonly Item[];
  /** The ids of what is to be dropped. */
  readonly removedIds: readonly string[];
  /** On the last page: the `since` of the next reading, to be kept with the copy. Else null. */
  readonly mark: string | null;
}

/**
 * Everything that a list has, page by page along its cursor: nothing is left out or comes twice
 * because others write meanwhile.
 */
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

/** As `pagesOf`, item by item. */
export async function* itemsOf<Item, Query extends CursorQuery>(
  list: List<Item, Query>,
  query: Query,
  options?: CallOptions,
): AsyncGenerator<Item, void, void> {
  for await (const page of pagesOf(list, query, options)) yield* page.data.data;
}

/**
 * What a copy needs to become current: everything without a mark, else what has changed since. A
 * reading that broke off before its mark came is to be repeated from the same `since`.
 *
 * @param since the mark of the reading before
 */
export async function* changesOf<Item extends { _id: string; isDeleted: boolean }>(
  list: List<Item>,
  since?: string,
  options?: CallOptions,
): AsyncGenerator<Changes<Item>, void, void> {
  const query: CursorQuery =
    since === undefined ? {} : { updatedSince: since, includeDeleted: 1 as const };
  for await (const { data, headers } of pagesOf(list, query, options)) {
    yield {
      current: data.data.filter((item) => !item.isDeleted),
      removedIds: data.data.filter((item) => item.isDeleted).map((item) => item._id),
      mark: headers.get('x-updated-as-of'),
    };
  }
}

/** How a list is followed. */
export interface FollowOptions extends CallOptions {
  /** The mark of the reading before. */
  readonly since?: string | undefined;
  /** From the end of one reading to the beginning of the next. */
  readonly pauseMs: number;
  /** For tests. */
  readonly sleep?: Surroundings['sleep'];
}

/**
 * As `changesOf`, again and again until the signal is aborted.
 *
 * @throws the reason of the signal
 */
export async function* follow<Item extends { _id: string; isDeleted: boolean }>(
  list: List<Item>,
  { since, pauseMs, sleep = realSurroundings.sleep, ...options }: FollowOptions,
): AsyncGenerator<Changes<Item>, never, void> {
  for (let mark = since; ;) {
    for await (const changes of changesOf(list, mark, options)) {
      yield changes;
      mark = changes.mark ?? mark;
    }
    await pauseFor(pauseMs, sleep, options.signal);
  }
}
