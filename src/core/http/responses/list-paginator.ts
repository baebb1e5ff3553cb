import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import {
  decodeCursor,
  encodeCursor,
  type SortOrder,
  type KeysetPosition,
  positionOf,
} from '../../database/documents/keyset.js';
import { cacheLifetimeMs } from '../../cache/tenant-cache.js';
import { commitLagMs } from '../../database/transactions/transactions.js';
import { DomainError } from '../../errors/domain-error.js';
import { httpErrors } from '../../errors/http-errors.js';

import { ApiProperty } from '@nestjs/swagger';
import { defaultPageLimit } from '../../validation/query-fields.js';

export class PaginationDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Items in this response.', example: 10 })
  count!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Maximum number of items of a page.',
    example: 10,
  })
  limit!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of pages.', example: 3 })
  pages!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of matches.', example: 27 })
  total!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description:
      'With updatedSince or after: the value of after for the next page; null at the end.',
    example: null,
  })
  next?: string | null;
}

export interface PageQuery {
  readonly page?: string;
  readonly limit?: string;
  readonly after?: string;
  readonly updatedSince?: Date;
}

export interface Continuation {
  readonly next: string | null;
  /** The `updatedSince` of the next poll; null before the end of the list. */
  readonly asOf: Date | null;
}

export interface ListPage<T> extends Pick<Continuation, 'asOf'> {
  readonly data: readonly T[];
  readonly pagination: PaginationDto;
}

interface ListDefinition {
  readonly name: string;
  readonly order: (isCopy: boolean) => SortOrder;
  /** Absent if the list has no mark. */
  readonly newestChange?: () => Promise<Date>;
  /** If false, every response has a cursor. */
  readonly hasPageNumbers?: false;
}

interface ListSource<Document extends object, Item> {
  readonly count: () => Promise<number>;
  readonly batches: (part: { skip: number; limit: number }) => AsyncIterable<Document[]>;
  readonly present: (documents: Document[]) => Promise<Item[]>;
}

interface Cursor {
  readonly position: KeysetPosition;
  /** The total is counted once: a count for each part would cost more than the part. */
  readonly total: number;
  readonly asOf: Date | null;
  readonly isCopy: boolean;
  readonly request: string;
}

/** Maximum delay until a change becomes visible: its commit may be late, or a part may come from the cache. */
const visibilityLagMs = commitLagMs + cacheLifetimeMs;

const pageParameters: ReadonlySet<string> = new Set([
  'page',
  'limit',
  'all',
  'after',
  'format',
  'bom',
]);

/**
 * Reads a list in one or more responses (rule COMP-16).
 *
 * Copying by cursor is exact. A document that is not written during the copy keeps its position, so the cursor
 * returns it once. Any other write commits after the copy started with a timestamp of at least `asOf`, so the next
 * poll returns it.
 */
export class ListPaginator {
  readonly isCopy: boolean;
  private readonly hasCursors: boolean;
  readonly order: SortOrder;
  private readonly cursor: Cursor | null;
  private readonly asOf: Date | null;
  private readonly request: string;

  /** @throws DomainError 400 for an unusable cursor */
  constructor(
    private readonly query: PageQuery,
    now: Date,
    private readonly list: ListDefinition,
  ) {
    const { after, updatedSince, page = '1' } = query;
    this.cursor = after === undefined || after === '0' ? null : readCursor(after);
    this.isCopy = this.cursor?.isCopy ?? (after === '0' && updatedSince === undefined);
    this.hasCursors =
      after !== undefined || updatedSince !== undefined || list.hasPageNumbers === false;
    this.order = list.order(this.isCopy);
    this.request = queryDigest(list.name, query, this.order);
    const isFirstPage = Number(page) === 1;
    this.asOf = this.cursor === null ? firstAsOf(list, isFirstPage, now) : this.cursor.asOf;
    const isForeign = this.cursor !== null && this.cursor.request !== this.request;
    if (isForeign || (after !== undefined && !isFirstPage)) {
      throw new DomainError(httpErrors.cursorUnusable);
    }
  }

  get after(): KeysetPosition | undefined {
    return this.cursor?.position;
  }

  async total(count: () => Promise<number>): Promise<number> {
    return this.cursor?.total ?? count();
  }

  async page<Document extends object, Item>({
    count,
    batches,
    present,
  }: ListSource<Document, Item>): Promise<ListPage<Item>> {
    const { skip, limit } = pageRange(this.query);
    // A partial first page contains everything; pages beyond the end need no read.
    const known = skip === 0 ? this.cursor?.total : await this.total(count);
    const documents: Document[] = [];
    if (known === undefined || skip < known || this.after !== undefined) {
      for await (const batch of batches({ skip, limit: limit + 1 })) documents.push(...batch);
    }
    const isAll = documents.length <= limit && this.after === undefined;
    const total = known ?? (isAll ? documents.length : await count());
    const data = await present(documents.slice(0, limit));
    const last = documents.length > limit ? documents[limit - 1] : undefined;
    const hasNoCursor = last !== undefined && !this.hasCursors;
    const end = hasNoCursor ? { next: null, asOf: null } : await this.progress(last ?? null, total);
    return { data, pagination: this.pagination(data.length, limit, total, end), asOf: end.asOf };
  }

  pagination(count: number, limit: number, total: number, { next }: Continuation): PaginationDto {
    const pages = limit === 0 ? 0 : Math.ceil(total / limit);
    return { count, limit, pages, total, ...(this.hasCursors && { next }) };
  }

  /** @param last null at the end of the list */
  async progress(last: object | null, total: number): Promise<Continuation> {
    if (last === null) return { next: null, asOf: this.asOf };
    const { isCopy, request, order } = this;
    const asOf = this.cursor === null ? await this.stableAsOf() : this.asOf;
    const cursor = [positionOf(last, order), total, asOf, isCopy, request];
    return { next: encodeCursor(cursor), asOf: null };
  }

  /** Changes only with the data, so that the response keeps its entity tag. */
  private async stableAsOf(): Promise<Date | null> {
    if (this.asOf === null || this.list.newestChange === undefined) return null;
    const newest = (await this.list.newestChange()).getTime();
    const own = this.asOf.getTime();
    return new Date(newest < own ? newest + 1 : Math.min(newest - visibilityLagMs, own));
  }
}

/** Documents move between numbered pages, so no timestamp would be safe. */
function firstAsOf({ newestChange }: ListDefinition, isFirstPage: boolean, now: Date): Date | null {
  return isFirstPage && newestChange !== undefined ? updatedAsOf(now) : null;
}

function pageRange({ page = '1', limit = String(defaultPageLimit) }: PageQuery) {
  return { skip: (Number(page) - 1) * Number(limit), limit: Number(limit) };
}

/** Orders changes by time, a copy by id, and other lists by descending id, which lists the newest first. */
export function pollOrder({ updatedSince }: PageQuery, isCopy: boolean): SortOrder {
  if (updatedSince !== undefined) return { updatedAt: 1, _id: 1 };
  return { _id: isCopy ? 1 : -1 };
}

/** Only a complete list has the time of the next poll (rules HTTP-11 and COMP-16). */
export function setListHeaders(reply: FastifyReply, { next, asOf }: Continuation): void {
  if (next !== null) reply.header('x-next-cursor', next);
  if (asOf !== null) reply.header('x-updated-as-of', asOf.toISOString());
}

export function pageBody<T>(reply: FastifyReply, { asOf, data, pagination }: ListPage<T>) {
  setListHeaders(reply, { next: pagination.next ?? null, asOf });
  return { data, pagination };
}

/** A read that starts now misses only changes with a later timestamp. */
export function updatedAsOf(now: Date): Date {
  return new Date(now.getTime() - visibilityLagMs);
}

function queryDigest(name: string, query: PageQuery, order: SortOrder): string {
  const parameters = Object.keys(query).filter((parameter) => !pageParameters.has(parameter));
  const request = [name, JSON.stringify(query, parameters.toSorted()), JSON.stringify(order)];
  return createHash('sha256').update(request.join('\n')).digest('base64url').slice(0, 16);
}

function readCursor(text: string): Cursor {
  const [position, total, asOf, isCopy, request] = decodeCursor(text) ?? [];
  const isKnown = Array.isArray(position) && !position.some(isInvalidTime);
  const isTime = asOf instanceof Date && !isInvalidTime(asOf);
  if (!isKnown || !(asOf === null || isTime)) {
    throw new DomainError(httpErrors.cursorUnusable);
  }
  return {
    position,
    total: Math.max(0, Math.trunc(Number(total))) || 0,
    asOf,
    isCopy: isCopy === true,
    request: String(request),
  };
}

function isInvalidTime(value: unknown): boolean {
  return value instanceof Date && Number.isNaN(value.getTime());
}
