import { ApiProperty } from '@nestjs/swagger';
import { defaultPageLimit } from '../validation/query-fields.js';

/** Says about a list what its items do not (rule HTTP-15). */
export class PaginationDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Items in this response.', example: 10 })
  count!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Most items of a page.', example: 10 })
  limit!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'All pages.', example: 3 })
  pages!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'All that match.', example: 27 })
  total!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description:
      'With updatedSince or after: what to send as after for what follows, null at the end.',
    example: null,
  })
  next?: string | null;
}

/** Which part of a list is requested. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
}

/** A part of a list as it is sent. */
export interface PageOf<T> {
  readonly data: readonly T[];
  readonly pagination: PaginationDto;
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
): PaginationDto {
  const pages = limit === 0 ? 0 : Math.ceil(total / limit);
  return { count, limit, pages, total, ...(next === undefined ? {} : { next }) };
}
