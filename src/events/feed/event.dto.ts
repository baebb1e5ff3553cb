import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { eventTypes } from '../outbox/event-types.js';

const id = {
  type: String,
  pattern: '^msg_[0-9a-f]{24}$',
  example: 'msg_6b01b58d9ebbd158741896b9',
} as const;
const time = {
  type: String,
  format: 'date-time',
  description: 'Time of the change.',
  example: '2030-01-01T00:00:00.000Z',
} as const;
const type = { type: String, enum: [...eventTypes], example: 'lead.updated' };
const data = {
  type: 'object',
  additionalProperties: true,
  description: 'The object as the API returns it in English, equal to the data of the webhook.',
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
    description: 'One more than the number of the previous event of any type.',
    example: 1_301,
  })
  sequence!: number;

  @ApiProperty({ ...id, description: 'The `webhook-id` of the same event.' })
  id!: string;

  @ApiProperty(type)
  type!: string;

  @ApiProperty(time)
  timestamp!: string;

  @ApiProperty({ ...data, example: lead })
  data!: object;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Changed fields; only for events whose type ends in .updated.',
    example: [{ field: 'data.project', from: null, to: 'Palm Meadows' }],
  })
  changes?: readonly object[];
}

export class EventsResponseDto {
  @ApiProperty({ type: [EventDto] })
  data!: EventDto[];

  @ApiProperty({
    type: 'integer',
    description: 'Value of after for the next request, even if this page is empty.',
    example: 1_301,
  })
  next!: number;

  @ApiProperty({
    type: Boolean,
    description: 'True if more events of any type follow: request them without a pause.',
    example: false,
  })
  hasMore!: boolean;
}

export class CloudEventDto {
  @ApiProperty({ type: String, enum: ['1.0'], example: '1.0' })
  specversion!: string;

  @ApiProperty({ ...id, description: 'Value for lastEventId.' })
  id!: string;

  @ApiProperty({
    type: String,
    format: 'uri-reference',
    example: '/organizations/6740b1f2c3d4e5f607182940',
  })
  source!: string;

  @ApiProperty(type)
  type!: string;

  @ApiProperty(time)
  time!: string;

  @ApiPropertyOptional({ type: String, description: 'The id of the object.' })
  subject?: string;

  @ApiProperty({ type: String, enum: ['application/json'], example: 'application/json' })
  datacontenttype!: string;

  @ApiProperty({ type: String, description: 'Number of the event.', example: '1301' })
  sequence!: string;

  @ApiPropertyOptional({ type: String, description: 'Changed fields: the list as JSON.' })
  changes?: string;

  @ApiProperty({ ...data, example: lead })
  data!: object;
}
