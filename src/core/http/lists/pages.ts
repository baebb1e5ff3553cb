import { ApiProperty } from '@nestjs/swagger';
import { defaultPageLimit } from '../validation/query-fields.js';

/** Rule HTTP-15. */
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
      'With updatedSince or after: the value of after for the next page, null at the end.',
    example: null,
  })
  next?: string | null;
}

export interface PageRange {
  readonly skip: number;
  readonly limit: number;
}

export interface PageOf<T> {
  readonly data: readonly T[];
  readonly pagination: PaginationDto;
}

export function pageOf({ page = '1', limit }: { page?: string; limit?: string }): PageRange {
  const size = limit === undefined ? defaultPageLimit : Number(limit);
  return { skip: (Number(page) - 1) * size, limit: size };
}

export function paginationOf(
  count: number,
  limit: number,
  total: number,
  next?: string | null,
): PaginationDto {
  const pages = limit === 0 ? 0 : Math.ceil(total / limit);
  return { count, limit, pages, total, ...(next === undefined ? {} : { next }) };
}
