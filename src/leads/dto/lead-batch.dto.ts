import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import type { ErrorDefinition } from '../../core/http/errors/domain-error.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import { describeErrors } from '../../core/http/reference/openapi-components.js';
import { BooleanField, SeparateItems } from '../../core/http/validation/fields.js';
import { LeadDto } from './lead.dto.js';
import { UpsertLeadDto } from './upsert-lead.dto.js';
import { leadErrors } from '../lead-errors.js';

/** A larger transaction would delay other requests of the organization. */
const maxLeads = 100;

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

/** Body of `POST /leads/batch` (rule LEAD-14). */
export class LeadBatchDto {
  @SeparateItems(UpsertLeadDto, {
    required: true,
    maxItems: maxLeads,
    description: 'Each as in a request of its own; a refused lead does not affect the others.',
  })
  leads!: readonly (UpsertLeadDto | null)[];

  @BooleanField({
    description: 'true stores nothing and returns the result of the same request without it.',
    example: false,
  })
  dryRun?: boolean;
}

export class BatchLeadDto extends OmitType(LeadDto, ['leadId']) {
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

export class LeadResultDto {
  @ApiProperty({ type: Number, description: 'Position in the batch, from 0.', example: 0 })
  index!: number;

  @ApiProperty({
    type: Number,
    description: 'Status of the same request alone: 201, 200, or that of an error.',
    example: 201,
  })
  statusCode!: number;

  @ApiPropertyOptional({
    type: String,
    enum: ['create', 'update'],
    description: 'Unless the lead was refused.',
    example: 'create',
  })
  operation?: 'create' | 'update';

  @ApiPropertyOptional({ type: BatchLeadDto, description: 'Unless the lead was refused.' })
  lead?: BatchLeadDto;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'Reasons, in the language of the request; only of a refused lead.',
  })
  message?: string | readonly string[];

  @ApiPropertyOptional({
    type: String,
    description: 'The status in words; only of a refused lead.',
  })
  error?: string;

  @ApiPropertyOptional({
    type: String,
    description: `x-error-code of the same request alone; only of a refused lead.\n${describeErrors(refusals)}`,
  })
  errorCode?: string;
}

export class LeadBatchResponseDto {
  @ApiProperty({ type: Boolean, description: 'Whether no lead was refused.', example: true })
  ok!: boolean;

  @ApiProperty({ type: Number, example: 1 })
  created!: number;

  @ApiProperty({ type: Number, example: 0 })
  updated!: number;

  @ApiProperty({ type: Number, example: 0 })
  refused!: number;

  @ApiProperty({ type: [LeadResultDto], description: 'One for each lead, in their order.' })
  results!: readonly LeadResultDto[];
}
