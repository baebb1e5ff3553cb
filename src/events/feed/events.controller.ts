import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticationErrors } from '../../core/http/errors/authentication-errors.js';
import { RequestQuery } from '../../core/http/validation/declared-types.js';
import { CurrentCaller, type RequestCaller } from '../../core/http/request-caller.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import { acceptedType } from '../../core/http/server/accepted-type.js';
import { addVary } from '../../core/http/server/request-context.js';
import { WithRouteOptions } from '../../core/http/server/route-options.js';
import { cloudEventsType, DocumentedEvents, nextHeader } from './documented-events.js';
import { eventErrors } from './event-errors.js';
import { cloudEventsText, pageText } from './event.presenter.js';
import { EventsQuery, longestWait } from './events.query.js';
import { EventsService } from './events.service.js';
import { Endpoint } from '../../core/http/reference/endpoint.js';

const jsonType = 'application/json';

/** `/events` (rule FEED-1). */
@ApiTags('Events')
@ApiSecurity('api-key')
@Controller('events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @WithRouteOptions({ readsEvents: true, longestWaitMs: longestWait * 1_000 })
  @Endpoint({
    operationId: 'readEvents',
    summary: 'Read events',
    description:
      "What webhooks tell, to be asked for: every change of the organization's data, in its order, " +
      'without gaps. Begin with after=0, then send the next of each response; wait holds the request ' +
      'until there is something. Accept decides between JSON and a batch of CloudEvents. The key needs ' +
      'the permission to read events.',
    errors: [
      httpErrors.validationFailed,
      eventErrors.beyondLast,
      authenticationErrors.mayNotReadEvents,
      { ...eventErrors.expired, documentedHeaders: nextHeader },
    ],
    isPolled: true,
  })
  @DocumentedEvents()
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
