import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { idsOf } from '../../core/database/documents/stored-values.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';

const objectId = { type: String, pattern: '^[0-9a-f]{24}$' } as const;
const freeForm = { type: 'object', additionalProperties: true } as const;

export class LeadDto {
  @ApiProperty({ ...objectId, description: 'Id of the lead.', example: '6740b1f2c3d4e5f60718293a' })
  _id!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Sequential number within the organization; never changes.',
    example: 42,
  })
  leadId!: number;

  @ApiPropertyOptional({
    type: String,
    description: 'Present when the lead has an external id.',
    example: 'website-form-7-4711',
  })
  recordSystemId?: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    description: 'Ids of the linked compounds.',
    example: ['6740b1f2c3d4e5f607182930'],
  })
  compoundsIds!: readonly string[];

  @ApiProperty({
    ...freeForm,
    description: 'Lead fields, as they were sent.',
    example: { name: 'Mona El Sayed', phoneNumber: '01001234567', project: 'Palm Meadows' },
  })
  data!: LeadData;

  @ApiProperty({
    ...freeForm,
    description: 'Metadata, as it was sent.',
    example: { utm_source: 'newsletter' },
  })
  additionalData!: LeadData;

  @ApiProperty({
    ...objectId,
    nullable: true,
    description: 'The client that the lead belongs to.',
    example: '6740b1f2c3d4e5f607182931',
  })
  clientId!: string | null;

  @ApiProperty({
    ...objectId,
    nullable: true,
    description: 'The user whom the lead is assigned to.',
    example: null,
  })
  assignedToId!: string | null;

  @ApiProperty({ ...objectId, nullable: true, description: 'The parent lead.', example: null })
  parentId!: string | null;

  @ApiProperty({ type: Boolean, example: true })
  isActive!: boolean;

  @ApiProperty({ type: Boolean, example: false })
  isDeleted!: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' })
  updatedAt!: string;
}

export class LeadErasureDto extends PickType(LeadDto, [
  '_id',
  'leadId',
  'recordSystemId',
  'clientId',
]) {}

export class LeadResponseDto {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({ type: LeadDto })
  lead!: LeadDto;
}

export class LeadUpsertResponseDto extends LeadResponseDto {
  @ApiProperty({
    type: String,
    enum: ['create', 'update'],
    description: 'update when recordSystemId matched an active lead of the organization.',
    example: 'create',
  })
  operation!: 'create' | 'update';

  @ApiProperty({ type: LeadDto, description: 'The same as lead, for earlier clients.' })
  newLead!: LeadDto;
}

export class LeadDeletionResponseDto extends LeadResponseDto {
  @ApiProperty({ type: String, enum: ['delete'], example: 'delete' })
  operation!: 'delete';
}

/** Whitelists the fields of a response (rule LEAD-2). */
export function presentLead(lead: LeadDocument): LeadDto {
  return {
    _id: lead._id.toHexString(),
    leadId: lead.leadId ?? 0,
    ...(lead.recordSystemId === undefined ? {} : { recordSystemId: lead.recordSystemId }),
    ...presentDecided(lead),
    assignedToId: lead.assignedToId?.toHexString() ?? null,
    parentId: lead.parentId?.toHexString() ?? null,
    isActive: lead.isActive ?? false,
    isDeleted: lead.isDeleted,
    createdAt: lead.createdAt.toISOString(),
    updatedAt: lead.updatedAt.toISOString(),
  };
}

/** Fields that requests change, which the change log compares. */
export function presentDecided({ compoundsIds, data, additionalData, clientId }: LeadDocument) {
  return {
    compoundsIds: idsOf(compoundsIds),
    data: data ?? {},
    additionalData: additionalData ?? {},
    clientId: clientId?.toHexString() ?? null,
  };
}
