import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestQuery } from '../../core/validation/request-parts.js';
import { CurrentCaller, type RequestCaller } from '../../core/http/requests/request-caller.js';
import { httpErrors } from '../../core/errors/http-errors.js';
import { RateLimitGuard } from '../../core/http/rate-limit/rate-limit.guard.js';
import { isLongPoll } from '../../core/http/server/request-metrics.js';
import { eventErrors } from './event-errors.js';
import { EventsResponseDto } from './event.dto.js';
import { EventFeedService } from './event-feed.service.js';
import { EventsQuery, maxWaitSeconds } from './events.query.js';
import { DocumentedResponse, pollingHeaders } from '../../core/http/api-documentation.js';
import { Endpoint } from '../../tenants/keys/endpoint.js';

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
    operation: 'events.read',
    route: { maxWaitMs: maxWaitSeconds * 1_000 },
    summary: 'Read events',
    description:
      "Returns the events of webhooks for polling: the changes of the organization's data that are made through the service, in order " +
      'and without gaps. Start with after=0, then send the next of each response; wait holds ' +
      'the request until an event exists.',
    errors: [
      httpErrors.validationFailed,
      eventErrors.beyondLast,
      { ...eventErrors.expired, documentedHeaders: nextHeader },
    ],
    isPolled: true,
  })
  @DocumentedResponse(
    200,
    EventsResponseDto,
    'The events in the order of their numbers; empty if there are no new ones.',
    { etag: pollingHeaders.etag, ...nextHeader },
  )
  async read(
    @CurrentCaller() caller: RequestCaller,
    @RequestQuery() query: EventsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventsResponseDto> {
    const disconnection = new AbortController();
    reply.raw.once('close', () => disconnection.abort());
    // The client may have left during the key lookup.
    if (reply.raw.destroyed) disconnection.abort();
    let hasWaited = false;
    const page = await this.feed.read(caller, query, disconnection.signal, () => {
      hasWaited = true;
    });
    // Many may wait, and all of them get the same events at once; others could ask for old ones and not read them.
    if (isLongPoll(request) && !hasWaited) this.limits.takePlace(caller, reply);
    reply.header('x-next-cursor', String(page.next));
    return page;
  }
}
