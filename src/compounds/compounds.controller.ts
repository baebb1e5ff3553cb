import { Controller, Get, Header, Param, Res, UseInterceptors } from '@nestjs/common';
import { UnknownNamesInterceptor } from '../core/http/requests/unknown-names.interceptor.js';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { httpErrors, pathErrors } from '../core/errors/http-errors.js';
import { commonCompoundErrors, compoundErrors } from './compound-errors.js';
import { RequestQuery } from '../core/validation/request-parts.js';
import type { Caller } from '../tenants/keys/caller.js';
import { CurrentCaller } from '../core/http/requests/request-caller.js';
import { type ResponseBody, ResponseStreams } from '../core/http/responses/response-streams.js';
import {
  DocumentedResponse,
  ignoredFieldsHeader,
  pollingHeaders,
} from '../core/http/api-documentation.js';
import { Endpoint } from '../tenants/keys/endpoint.js';
import { jsonContentType } from '../core/values/json.js';
import { pageBody, setListHeaders, updatedAsOf } from '../core/http/responses/list-paginator.js';
import { Clock } from '../core/configuration/clock.js';
import { CompoundUnitsResponseDto } from '../units/unit.dto.js';
import { CompoundsService } from './compounds.service.js';
import { CompoundSlugParam, CompoundsResponseDto, ListCompoundsQuery } from './compound.dto.js';

@ApiTags('Compounds')
@ApiSecurity('api-key')
@Controller('compounds')
export class CompoundsController {
  constructor(
    private readonly compounds: CompoundsService,
    private readonly responseStreams: ResponseStreams,
    private readonly clock: Clock,
  ) {}

  @Get()
  @UseInterceptors(UnknownNamesInterceptor)
  @Header('content-type', jsonContentType)
  @Endpoint({
    operationId: 'listCompounds',
    operation: 'catalogue.read',
    isCached: true,
    summary: 'List the compounds',
    description: 'Lists compounds newest first. Poll with If-None-Match, or with updatedSince.',
    errors: [httpErrors.validationFailed, httpErrors.cursorUnusable],
    common: commonCompoundErrors,
    isPolled: true,
  })
  @DocumentedResponse(200, CompoundsResponseDto, 'The compounds.', {
    ...pollingHeaders,
    ...ignoredFieldsHeader,
  })
  async list(
    @CurrentCaller() caller: Caller,
    @RequestQuery() query: ListCompoundsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompoundsResponseDto | ResponseBody> {
    if (query.all !== '1') return pageBody(reply, await this.compounds.page(caller, query));
    const { text, end } = await this.compounds.all(caller, query);
    const body = await this.responseStreams.stream(reply, text);
    setListHeaders(reply, end);
    return body;
  }

  @Get(':slug/units')
  @Header('content-type', jsonContentType)
  @Endpoint({
    operationId: 'listCompoundUnits',
    operation: 'catalogue.read',
    isCached: true,
    summary: 'List all units of a compound',
    description:
      'Returns all units in one response, newest first. Over 4 MiB it is streamed and has no ETag.',
    errors: [...pathErrors, compoundErrors.notFound],
    common: commonCompoundErrors,
    isPolled: true,
  })
  @DocumentedResponse(200, CompoundUnitsResponseDto, 'The units.', {
    etag: pollingHeaders.etag,
    'x-updated-as-of': pollingHeaders['x-updated-as-of'],
  })
  async units(
    @CurrentCaller() caller: Caller,
    @Param() { slug }: CompoundSlugParam,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const asOf = updatedAsOf(this.clock.now());
    const text = await this.compounds.units(caller, slug);
    const body = await this.responseStreams.bufferOrStream(reply, text);
    setListHeaders(reply, { next: null, asOf });
    return body;
  }
}
