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
}

/** Which part of a list is requested. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
}

export interface PageOf<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** The part of a list that checked parameters ask for. */
export function pageOf({ page = '1', limit }: { page?: string; limit?: string }): Page {
  const size = limit === undefined ? defaultPageLimit : Number(limit);
  return { skip: (Number(page) - 1) * size, limit: size };
}

export function paginationOf(count: number, limit: number, total: number): Pagination {
  return { count, limit, pages: limit === 0 ? 0 : Math.ceil(total / limit), total };
}
