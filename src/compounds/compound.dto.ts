import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { Types } from 'mongoose';
import { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import { type RemovedItem, removedItemNote } from '../catalogue/visibility/hidden-parts.js';
import { responseClass, type Presented } from '../core/fields/declared-fields.js';
import { Id, Text } from '../core/fields/fields.js';
import { PaginationDto } from '../core/http/responses/list-paginator.js';
import {
  ValidateUnlessAllRequested,
  PageLimit,
  PageNumber,
  PollingQuery,
  ZeroOrOneField,
} from '../core/validation/query-fields.js';
import { Field } from '../core/validation/fields.js';
import { IsStorable } from '../core/validation/rules.js';
import { AllowUnknownFields } from '../core/validation/dto-reader.js';

/** Unknown parameters are ignored and reported (rules COMP-1 to COMP-3). */
@AllowUnknownFields()
export class ListCompoundsQuery extends PollingQuery {
  @ValidateUnlessAllRequested()
  @PageNumber()
  page?: string;

  @ValidateUnlessAllRequested()
  @PageLimit()
  limit?: string;

  @ZeroOrOneField('1 streams everything in one response; page and limit are then ignored.')
  all?: string;
}

export class CompoundOrganization {
  @Id({ stored: false })
  _id!: Types.ObjectId;

  @Text({ example: 'Nile Homes', stored: false })
  name!: string;

  @Text({ example: 'https://cdn.example.com/logo.png', stored: false })
  logo!: string;
}

export class CompoundDto extends responseClass(CompoundDocument) {
  @ApiProperty({ type: responseClass(CompoundOrganization) })
  organization!: Presented<CompoundOrganization>;
}

export type ListedCompound = CompoundDto | RemovedItem;

export class CompoundsResponseDto {
  @ApiProperty({ type: [CompoundDto], description: removedItemNote })
  data!: readonly ListedCompound[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}

export class CompoundSlugParam {
  @Field(
    {
      required: true,
      description: 'The slug of the compound, percent-encoded.',
      example: 'palm-meadows',
    },
    IsString(),
    IsStorable(),
  )
  slug!: string;
}
