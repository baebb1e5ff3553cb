import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiSecurity, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Types } from 'mongoose';
import { RequestQuery } from '../../core/validation/request-parts.js';
import { CurrentCaller, type RequestCaller } from '../../core/http/request-caller.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import { RateLimitGuard } from '../../core/http/rate-limit/rate-limit.guard.js';
import { isLongPoll } from '../../core/http/server/request-metrics.js';
import { acceptedType, addVary } from '../../core/http/lists/response-streams.js';
import { objectIdOf } from '../outbox/message.js';
import { eventErrors } from './event-errors.js';
import { CloudEventDto, type EventDto, EventsResponseDto } from './event.dto.js';
import { EventFeedService } from './event-feed.service.js';
import { EventsQuery, maxWaitSeconds } from './events.query.js';
import { pollingHeaders } from '../../core/http/api-documentation.js';
import { Endpoint } from '../../tenants/keys/endpoint.js';

const jsonType = 'application/json';
const cloudEventsType = 'application/cloudevents-batch+json';

const nextHeader = {
  'x-next-cursor': {
    description: 'Value of after for the next request.',
    schema: { type: 'string' as const, example: '1301' },
  },
};

@ApiTags('Events')
@ApiSecurity('api-key')
@Controller('events')
export class EventsController {
  constructor(
    private readonly feed: EventFeedService,
    private readonly limits: RateLimitGuard,
  ) {}

  @Get()
  @Endpoint({
    operationId: 'readEvents',
    permission: 'events.read',
    route: { maxWaitMs: maxWaitSeconds * 1_000 },
    summary: 'Read events',
    description:
      "Returns the events of webhooks for polling: the changes of the organization's data that are made through the service, in order " +
      'and without gaps. Start with after=0, then send the next of each response; wait holds ' +
      'the request until an event exists. Accept selects JSON or a batch of CloudEvents.',
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
    description: 'The events in the order of their numbers; empty if there are no new ones.',
    headers: {
      vary: {
        description: 'Request headers on which the response may depend.',
        schema: { type: 'string', example: 'api-key, language, accept-encoding, accept' },
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
    const disconnection = new AbortController();
    reply.raw.once('close', () => disconnection.abort());
    // The client may have left during the key lookup.
    if (reply.raw.destroyed) disconnection.abort();
    const { organizationId } = caller;
    let hasWaited = false;
    const page = await this.feed.read(organizationId, query, disconnection.signal, () => {
      hasWaited = true;
    });
    // Many may wait, and all of them get the same events at once; others could ask for old ones and not read them.
    if (isLongPoll(request) && !hasWaited) this.limits.takePlace(caller, reply);
    const accepted = acceptedType(request, [jsonType, cloudEventsType]) ?? jsonType;
    const content =
      accepted === jsonType ? page : page.data.map((event) => cloudEvent(event, organizationId));
    reply.header('content-type', `${accepted}; charset=utf-8`);
    reply.header('x-next-cursor', String(page.next));
    addVary(reply, 'accept');
    return Buffer.from(JSON.stringify(content));
  }
}

/** CloudEvents 1.0 allows only strings as values of extensions such as `changes`. */
function cloudEvent(
  { id, type, timestamp, data, changes, sequence }: EventDto,
  organizationId: Types.ObjectId,
) {
  const subject = objectIdOf({ data });
  return {
    specversion: '1.0',
    id,
    source: `/organizations/${organizationId.toHexString()}`,
    type,
    time: timestamp,
    ...(subject === null ? {} : { subject }),
    datacontenttype: 'application/json',
    sequence: String(sequence),
    ...(changes === undefined ? {} : { changes: JSON.stringify(changes) }),
    data,
  };
}
