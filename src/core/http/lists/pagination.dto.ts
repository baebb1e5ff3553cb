import { ApiProperty } from '@nestjs/swagger';
import type { Pagination } from './pages.js';

/** Rule HTTP-15. */
export class PaginationDto implements Pagination {
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
