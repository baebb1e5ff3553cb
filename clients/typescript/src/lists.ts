import type { PaginationDto } from './generated/types.js';
import type { CallOptions } from './operation.js';
import { pauseFor, defaultRuntime, type Runtime } from './retries.js';

/** An operation with pages: `listUnits` or `listCompounds`. */
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

export interface FollowOptions extends CallOptions {
  /** The mark of the previous run. */
  readonly since?: string | undefined;
  /** Pause between two runs. */
  readonly pauseMs: number;
  /** Replaces the clock in tests. */
  readonly sleep?: Runtime['sleep'];
}

/** Repeats `changesOf` until the signal is aborted, then throws the reason of the signal. */
export async function* follow<Item extends { _id: string; isDeleted: boolean }>(
  list: List<Item>,
  { since, pauseMs, sleep = defaultRuntime.sleep, ...options }: FollowOptions,
): AsyncGenerator<Changes<Item>, never, void> {
  for (let mark = since; ;) {
    for await (const changes of changesOf(list, mark, options)) {
      yield changes;
      mark = changes.mark ?? mark;
    }
    await pauseFor(pauseMs, sleep, options.signal);
  }
}
