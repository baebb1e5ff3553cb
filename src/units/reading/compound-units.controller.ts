import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../tenants/keys/caller.js';
import { CurrentCaller } from '../../core/http/request-caller.js';
import { Clock } from '../../core/configuration/clock.js';
import { commonCompoundErrors } from '../../core/http/errors/authentication-errors.js';
import { compoundErrors } from '../../compounds/compound-errors.js';
import { pathErrors } from '../../core/http/errors/http-errors.js';
import { type ResponseBody, ResponseStreams } from '../../core/http/lists/response-streams.js';
import { DocumentedResponse, pollingHeaders } from '../../core/http/reference/api-documentation.js';
import { setListHeaders, updatedAsOf } from '../../core/http/lists/list-reading.js';
import { CompoundSlugParam } from './slug.param.js';
import { CompoundUnitsResponseDto } from '../unit.dto.js';
import { UnitsService } from './units.service.js';
import { Endpoint } from '../../core/http/reference/endpoint.js';

/** The units of a compound (rule COMP-5). */
@ApiTags('Compounds')
@ApiSecurity('api-key')
@Controller('compounds')
export class CompoundUnitsController {
  constructor(
    private readonly units: UnitsService,
    private readonly responseStreams: ResponseStreams,
    private readonly clock: Clock,
  ) {}

  @Get(':slug/units')
  @Header('content-type', 'application/json; charset=utf-8')
  @Endpoint({
    operationId: 'listCompoundUnits',
    permission: 'catalogue.read',
    route: { hasGenericUnauthorizedMessage: true, isCached: true },
    summary: 'List all units of a compound',
    description: 'In one response, newest first; over 4 MiB it is streamed and has no ETag.',
    errors: [...pathErrors, compoundErrors.notFound],
    common: commonCompoundErrors,
    isPolled: true,
  })
  @DocumentedResponse(200, CompoundUnitsResponseDto, 'The units.', {
    etag: pollingHeaders.etag,
    'x-updated-as-of': pollingHeaders['x-updated-as-of'],
  })
  async list(
    @CurrentCaller() caller: Caller,
    @Param() { slug }: CompoundSlugParam,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const asOf = updatedAsOf(this.clock.now());
    const text = await this.units.ofCompound(caller, slug);
    const body = await this.responseStreams.wholeOrStreamed(reply, text);
    setListHeaders(reply, { next: null, asOf });
    return body;
  }
}
