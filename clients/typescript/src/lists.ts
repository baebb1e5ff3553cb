import type { PaginationDto } from './generated/types.js';
import type { CallOptions } from './operation.js';
import { pauseFor, realSurroundings, type Surroundings } from './retries.js';

/** A paged operation: `listUnits` or `listCompounds`. */
export type List<Item, Query = CursorQuery> = (
  // Optional as in the operations; otherwise `undefined` becomes part of the inferred query.
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
  /** New or changed items; store them by `_id`. */
  readonly current: readonly Item[];
  /** Ids of items to delete. */
  readonly removedIds: readonly string[];
  /** On the last page the `since` of the next run, to be stored with the copy; otherwise null. */
  readonly mark: string | null;
}

/** A whole list, page by page along its cursor, complete under concurrent writes. */
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
 * The changes since a mark; everything without one. Repeat an interrupted run from the same `since`.
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
  /** For tests. */
  readonly sleep?: Surroundings['sleep'];
}

/** Repeats `changesOf` until the signal is aborted, and throws its reason. */
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
