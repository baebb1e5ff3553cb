import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { eventTypes } from '../outbox/event-types.js';

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

  @ApiProperty({
    type: String,
    pattern: '^msg_[0-9a-f]{24}$',
    description: 'The `webhook-id` of the same event.',
    example: 'msg_6b01b58d9ebbd158741896b9',
  })
  id!: string;

  @ApiProperty({ type: String, enum: [...eventTypes], example: 'lead.updated' })
  type!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Time of the change.',
    example: '2030-01-01T00:00:00.000Z',
  })
  timestamp!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The object as the API returns it in English, equal to the data of the webhook.',
    example: lead,
  })
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
