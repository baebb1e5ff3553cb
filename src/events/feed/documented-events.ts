import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { pollingHeaders } from '../../core/http/reference/api-documentation.js';
import { CloudEventDto, EventsResponseDto } from './event.dto.js';

/** What a page of CloudEvents is sent as. */
export const cloudEventsType = 'application/cloudevents-batch+json';

/** Header of pages and of the 410. */
export const nextHeader = {
  'x-next-cursor': {
    description: 'What to send as after for what follows.',
    schema: { type: 'string' as const, example: '1301' },
  },
};

/** Documents the two forms of a page of events. */
export function DocumentedEvents(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(EventsResponseDto, CloudEventDto),
    ApiResponse({
      status: 200,
      description: 'The events in the order of their numbers; none when there are no new ones.',
      headers: {
        vary: {
          description: 'The headers of a request that responses to it may depend on.',
          schema: {
            type: 'string',
            example: 'api-key, language, accept-encoding, accept',
          },
        },
        etag: pollingHeaders.etag,
        ...nextHeader,
      },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(EventsResponseDto) } },
        [cloudEventsType]: {
          schema: { type: 'array', items: { $ref: getSchemaPath(CloudEventDto) } },
        },
      },
    }),
  );
}
