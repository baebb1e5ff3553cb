import { ApiProperty } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import { shownClass } from '../catalogue/fields/derived-classes.js';
import type { Shown } from '../catalogue/fields/derived-types.js';
import { Id, Text } from '../catalogue/fields/fields.js';
import { PaginationDto } from '../core/http/lists/pages.js';

/** The organization of a compound. */
export class CompoundOrganization {
  @Id({ stored: false })
  _id!: Types.ObjectId;

  @Text({ example: 'Nile Homes', stored: false })
  name!: string;

  @Text({ example: 'https://cdn.example.com/logo.png', stored: false })
  logo!: string;
}

/** A compound with its organization (rule COMP-4). */
export class CompoundDto extends shownClass(CompoundDocument) {
  @ApiProperty({ type: shownClass(CompoundOrganization) })
  organization!: Shown<CompoundOrganization>;
}

export class CompoundsResponseDto {
  @ApiProperty({ type: [CompoundDto] })
  data!: readonly CompoundDto[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}
