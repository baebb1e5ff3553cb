import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { PresentedLead } from '../lead.presenter.js';
import type { LeadAnswer, LeadDeletionAnswer, LeadUpsertAnswer } from '../leads.service.js';

const objectId = { type: String, pattern: '^[0-9a-f]{24}$' } as const;
const freeForm = { type: 'object', additionalProperties: true } as const;

/** A lead as it is answered (section 2.2, "Leads" 3). */
export class LeadDto implements PresentedLead {
  @ApiProperty({ ...objectId, description: 'Record id.', example: '6740b1f2c3d4e5f60718293a' })
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
  data!: Record<string, unknown>;

  @ApiProperty({
    ...freeForm,
    description: 'Metadata, as it was sent.',
    example: { utm_source: 'newsletter' },
  })
  additionalData!: Record<string, unknown>;

  @ApiProperty({
    ...objectId,
    nullable: true,
    description: 'The client record that the lead belongs to.',
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

const leadExample: PresentedLead = {
  _id: '6740b1f2c3d4e5f60718293a',
  leadId: 42,
  recordSystemId: 'website-form-7-4711',
  compoundsIds: ['6740b1f2c3d4e5f607182930'],
  data: { name: 'Mona El Sayed', phoneNumber: '01001234567', project: 'Palm Meadows' },
  additionalData: { utm_source: 'newsletter' },
  clientId: '6740b1f2c3d4e5f607182931',
  assignedToId: null,
  parentId: null,
  isActive: true,
  isDeleted: false,
  createdAt: '2026-01-05T09:30:00.000Z',
  updatedAt: '2026-01-05T09:30:00.000Z',
};

/** What `POST /leads` answers for a lead that is new or known, for the reference. */
export function upsertExample(operation: LeadUpsertAnswer['operation']): LeadUpsertAnswer {
  return { ok: true, operation, lead: leadExample, newLead: leadExample };
}

/** Answer of `POST /leads`. */
export class LeadUpsertDto implements LeadUpsertAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({
    type: String,
    enum: ['create', 'update'],
    description: 'update when recordSystemId matched an active lead of the organization.',
    example: 'create',
  })
  operation!: 'create' | 'update';

  @ApiProperty({ type: LeadDto })
  lead!: LeadDto;

  @ApiProperty({ type: LeadDto, description: 'The same as lead, for earlier clients.' })
  newLead!: LeadDto;
}

/** Answer of `GET /leads/:recordSystemId`. */
export class LeadAnswerDto implements LeadAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({ type: LeadDto })
  lead!: LeadDto;
}

/** Answer of `DELETE /leads/:recordSystemId`. */
export class LeadDeletionDto implements LeadDeletionAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({ type: String, enum: ['delete'], example: 'delete' })
  operation!: 'delete';

  @ApiProperty({ type: LeadDto, description: 'The lead as it was.' })
  lead!: LeadDto;
}
