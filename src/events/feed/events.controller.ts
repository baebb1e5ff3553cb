import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiSecurity, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestQuery } from '../../core/http/validation/declared-types.js';
import { CurrentCaller, type RequestCaller } from '../../core/http/request-caller.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import { acceptedType } from '../../core/http/server/accepted-type.js';
import { addVary } from '../../core/http/server/request-context.js';
import { eventErrors } from './event-errors.js';
import { CloudEventDto, EventsResponseDto } from './event.dto.js';
import type { FeedEvent, FeedPage } from './event-feed.service.js';
import { EventsQuery, longestWait } from './events.query.js';
import { EventsService } from './events.service.js';
import { pollingHeaders } from '../../core/http/reference/api-documentation.js';
import { Endpoint } from '../../core/http/reference/endpoint.js';

const jsonType = 'application/json';
/** The media type of a page of CloudEvents. */
const cloudEventsType = 'application/cloudevents-batch+json';

/** Header of pages and of the 410. */
const nextHeader = {
  'x-next-cursor': {
    description: 'What to send as after for what follows.',
    schema: { type: 'string' as const, example: '1301' },
  },
};

/** `/events` (rule FEED-1). */
@ApiTags('Events')
@ApiSecurity('api-key')
@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @Endpoint({
    operationId: 'readEvents',
    permission: 'events.read',
    route: { longestWaitMs: longestWait * 1_000 },
    summary: 'Read events',
    description:
      "What webhooks tell, to be asked for: every change of the organization's data, in its order, " +
      'without gaps. Begin with after=0, then send the next of each response; wait holds the request ' +
      'until there is something. Accept decides between JSON and a batch of CloudEvents.',
    errors: [
      httpErrors.validationFailed,
      eventErrors.beyondLast,
      { ...eventErrors.expired, documentedHeaders: nextHeader },
    ],
    isPolled: true,
  })
  @ApiExtraModels(EventsResponseDto, CloudEventDto)
  @ApiResponse({
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
  })
  async read(
    @CurrentCaller() caller: RequestCaller,
    @RequestQuery() query: EventsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    // It may have left while its key was looked up.
    if (reply.raw.destroyed) left.abort();
    const page = await this.events.read(caller, query, left.signal);
    const accepted = acceptedType(request, [jsonType, cloudEventsType]) ?? jsonType;
    const text =
      accepted === jsonType
        ? pageText(page)
        : cloudEventsText(page, caller.organizationId.toHexString());
    reply.header('content-type', `${accepted}; charset=utf-8`);
    reply.header('x-next-cursor', String(page.next));
    addVary(reply, 'accept');
    return Buffer.from(text);
  }
}

/** The text of a page in the service's own form. */
function pageText({ events, next, hasMore }: FeedPage): string {
  const data = events.map(({ objectId: _objectId, ...event }) => event);
  return JSON.stringify({ data, next, hasMore });
}

/**
 * The text of a page as CloudEvents in JSON, version 1.0. What has changed is an extension, and extensions
 * are texts: the list of changes as JSON.
 */
function cloudEventsText({ events }: FeedPage, organizationId: string): string {
  return JSON.stringify(events.map((event) => cloudEvent(event, organizationId)));
}

function cloudEvent(event: FeedEvent, organizationId: string) {
  const { id, type, timestamp: time, data, changes, objectId, sequence } = event;
  return {
    specversion: '1.0',
    id,
    source: `/organizations/${organizationId}`,
    type,
    time,
    ...(objectId === null ? {} : { subject: objectId }),
    datacontenttype: 'application/json',
    sequence: String(sequence),
    ...(changes === undefined ? {} : { changes: JSON.stringify(changes) }),
    data,
  };
}
