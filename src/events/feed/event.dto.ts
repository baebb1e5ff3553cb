import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { eventTypes } from '../outbox/event-types.js';

const id = {
  type: String,
  pattern: '^msg_[0-9a-f]{24}$',
  example: 'msg_6b01b58d9ebbd158741896b9',
} as const;
const type = { type: String, enum: [...eventTypes], example: 'lead.updated' };
const data = {
  type: 'object',
  additionalProperties: true,
  description: 'The object as the API shows it, in English; that of the webhook of this type.',
} as const;

const lead = {
  _id: '6740b1f2c3d4e5f607182941',
  leadId: 42,
  recordSystemId: 'form-1',
  data: { name: 'Mona', project: 'Palm Meadows' },
};

export class EventDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'One more than that of the event before, whatever its type.',
    example: 1_301,
  })
  sequence!: number;

  @ApiProperty({ ...id, description: 'The `webhook-id` of the same event.' })
  id!: string;

  @ApiProperty(type)
  type!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it happened.' })
  timestamp!: string;

  @ApiProperty({ ...data, example: lead })
  data!: object;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'What is different; only of events whose type ends in .updated.',
    example: [{ field: 'data.project', from: null, to: 'Palm Meadows' }],
  })
  changes?: readonly object[];
}

export class EventsResponseDto {
  @ApiProperty({ type: [EventDto] })
  data!: EventDto[];

  @ApiProperty({
    type: 'integer',
    description: 'The after of the next request, even if this page is empty.',
    example: 1_301,
  })
  next!: number;

  @ApiProperty({
    type: Boolean,
    description: 'Whether more events follow, of whatever type: ask at once.',
    example: false,
  })
  hasMore!: boolean;
}

export class CloudEventDto {
  @ApiProperty({ type: String, enum: ['1.0'], example: '1.0' })
  specversion!: string;

  @ApiProperty({ ...id, description: 'What to send as lastEventId.' })
  id!: string;

  @ApiProperty({
    type: String,
    format: 'uri-reference',
    example: '/organizations/6740b1f2c3d4e5f607182940',
  })
  source!: string;

  @ApiProperty(type)
  type!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it happened.' })
  time!: string;

  @ApiPropertyOptional({ type: String, description: 'The id of the object.' })
  subject?: string;

  @ApiProperty({ type: String, enum: ['application/json'], example: 'application/json' })
  datacontenttype!: string;

  @ApiProperty({ type: String, description: 'Its number.', example: '1301' })
  sequence!: string;

  @ApiPropertyOptional({ type: String, description: 'What is different: the list as JSON.' })
  changes?: string;

  @ApiProperty({ ...data, example: lead })
  data!: object;
}
