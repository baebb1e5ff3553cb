import { defaultPageLimit } from '../validation/query-fields.js';

/** What a list says about itself in addition to its items (rule HTTP-15). */
export interface Pagination {
  /** Items in this response. */
  readonly count: number;
  /** Most items of a page. */
  readonly limit: number;
  readonly pages: number;
  /** All items that match. */
  readonly total: number;
  /** The cursor to send as `after`, null at the end; only where the request asked for cursors. */
  readonly next?: string | null;
}

/** Which part of a list is requested. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
}

/** A part of a list as it is sent. */
export interface PageOf<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** The part of a list that checked parameters ask for. */
export function pageOf({ page = '1', limit }: { page?: string; limit?: string }): Page {
  const size = limit === undefined ? defaultPageLimit : Number(limit);
  return { skip: (Number(page) - 1) * size, limit: size };
}

/** @param next the cursor that follows; undefined where the request did not ask for cursors */
export function paginationOf(
  count: number,
  limit: number,
  total: number,
  next?: string | null,
): Pagination {
  const pages = limit === 0 ? 0 : Math.ceil(total / limit);
  return { count, limit, pages, total, ...(next === undefined ? {} : { next }) };
}
