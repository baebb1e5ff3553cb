import type { Types } from 'mongoose';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  IntersectionType,
  OmitType,
  PartialType,
  PickType,
  getSchemaPath,
} from '@nestjs/swagger';
import {
  Flag,
  NullableTime,
  OptionalText,
  RecordId,
  SequenceNumber,
  Time,
} from '../../core/fields/fields.js';
import { PaginationDto } from '../../core/http/responses/list-paginator.js';
import { responseClass } from '../../core/fields/declared-fields.js';
import type { ErrorDefinition } from '../../core/errors/domain-error.js';
import { httpErrors } from '../../core/errors/http-errors.js';
import { describeErrors } from '../../core/http/api-documentation.js';
import { leadErrors } from '../lead-errors.js';
import { LeadDocument } from '../lead.schema.js';

export class LeadDto extends responseClass(LeadDocument) {}

/** The only fields of a deleted lead in a list: a reader removes its copy by them. */
export class LeadTombstone {
  @RecordId({ stored: false })
  _id!: Types.ObjectId;

  @SequenceNumber({ stored: false, example: 42 })
  leadId?: number | null;

  @OptionalText({ stored: false, example: 'website-form-7-4711' })
  recordSystemId?: string;

  @Flag({ stored: false, example: true })
  isDeleted!: boolean;

  @NullableTime({ stored: false, example: '2026-01-05T09:30:00.000Z' })
  deletedAt?: Date | null;

  @Time({ stored: false })
  updatedAt!: Date;
}

export class DeletedLeadDto extends responseClass(LeadTombstone) {}

export type ListedLeadDto = LeadDto | DeletedLeadDto;

@ApiExtraModels(LeadDto, DeletedLeadDto)
export class LeadsResponseDto {
  @ApiProperty({
    type: 'array',
    items: {
      anyOf: [{ $ref: getSchemaPath(LeadDto) }, { $ref: getSchemaPath(DeletedLeadDto) }],
    },
    description:
      'With `includeDeleted=1`, deleted leads have the fields of `DeletedLeadDto` alone.',
  })
  data!: readonly ListedLeadDto[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}

export class LeadErasureDto extends PickType(LeadDto, [
  '_id',
  'leadId',
  'recordSystemId',
  'clientId',
]) {}

export class LeadResponseDto {
  @ApiProperty({ type: Boolean, example: true })
  ok!: true;

  @ApiProperty({ type: LeadDto })
  lead!: LeadDto;
}

const fieldsForEveryKey = [
  '_id',
  'recordSystemId',
  'compoundsIds',
  'data',
  'additionalData',
] as const;

/** Keys without `leads.read` get only `leadId` and the fields for every key (rule LEAD-18). */
export class UpsertedLeadDto extends IntersectionType(
  PickType(LeadDto, fieldsForEveryKey),
  PartialType(OmitType(LeadDto, [...fieldsForEveryKey, 'leadId'])),
) {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description:
      'Sequential number within the organization; null for a lead that a dry run would create, ' +
      'whose ids are placeholders too.',
    example: 42,
  })
  leadId!: number | null;
}

const upsertedLeadDescription =
  'The lead after this request. A key without the operation `leads.read` gets only `_id`, `leadId`, ' +
  '`recordSystemId` and `compoundsIds`, and in `data` and `additionalData` the values of this request.';

export class LeadUpsertResponseDto extends OmitType(LeadResponseDto, ['lead']) {
  @ApiProperty({ type: UpsertedLeadDto, description: upsertedLeadDescription })
  lead!: UpsertedLeadDto;

  @ApiProperty({
    type: String,
    enum: ['create', 'update'],
    description: 'update when recordSystemId matched an active lead of the organization.',
    example: 'create',
  })
  operation!: 'create' | 'update';

  @ApiProperty({ type: UpsertedLeadDto, description: 'A copy of lead for earlier clients.' })
  newLead!: UpsertedLeadDto;
}

export class LeadDeletionResponseDto extends LeadResponseDto {
  @ApiProperty({ type: String, enum: ['delete'], example: 'delete' })
  operation!: 'delete';
}

const refusals: readonly ErrorDefinition[] = [
  httpErrors.bodyMustBeObject,
  httpErrors.validationFailed,
  leadErrors.duplicatePhone,
  leadErrors.databaseReference,
  leadErrors.tooLarge,
  leadErrors.tooManyChanges,
  httpErrors.eventTooLarge,
  leadErrors.batchFull,
];

export class LeadResultDto {
  @ApiProperty({ type: Number, description: 'Position in the batch, from 0.', example: 0 })
  index!: number;

  @ApiProperty({
    type: Number,
    description: 'Status that the lead would have if sent alone: 201, 200, or that of an error.',
    example: 201,
  })
  statusCode!: number;

  @ApiPropertyOptional({
    type: String,
    enum: ['create', 'update'],
    description: 'Absent if the lead was refused.',
    example: 'create',
  })
  operation?: 'create' | 'update';

  @ApiPropertyOptional({
    type: UpsertedLeadDto,
    description: `${upsertedLeadDescription} Absent if the lead was refused.`,
  })
  lead?: UpsertedLeadDto;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      "true if the project of the stored lead is no compound's name; only with `catalogue.read`.",
    example: true,
  })
  unmatchedProject?: boolean;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'Reasons in the language of the request; only for a refused lead.',
  })
  message?: string | readonly string[];

  @ApiPropertyOptional({
    type: String,
    description: 'The standard text of the status; only for a refused lead.',
  })
  error?: string;

  @ApiPropertyOptional({
    type: String,
    description: `The x-error-code that the lead would have if sent alone; only for a refused lead.\n${describeErrors(refusals)}`,
  })
  errorCode?: string;
}

export class LeadBatchResponseDto {
  @ApiProperty({ type: Boolean, description: 'True if no lead was refused.', example: true })
  ok!: boolean;

  @ApiProperty({ type: Number, example: 1 })
  created!: number;

  @ApiProperty({ type: Number, example: 0 })
  updated!: number;

  @ApiProperty({ type: Number, example: 0 })
  refused!: number;

  @ApiProperty({
    type: [LeadResultDto],
    description: 'One for each lead, in the order of the request.',
  })
  results!: readonly LeadResultDto[];
}
