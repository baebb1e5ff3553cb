import { Controller, Get, Header, Res, UseInterceptors } from '@nestjs/common';
import { UnknownNamesInterceptor } from '../core/validation/unknown-names.interceptor.js';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { httpErrors } from '../core/http/errors/http-errors.js';
import { commonCompoundErrors } from '../core/http/errors/authentication-errors.js';
import { RequestQuery } from '../core/validation/request-parts.js';
import type { Caller } from '../tenants/keys/caller.js';
import { CurrentCaller } from '../core/http/request-caller.js';
import { type ResponseBody, ResponseStreams } from '../core/http/lists/response-streams.js';
import {
  DocumentedResponse,
  ignoredFieldsHeader,
  pollingHeaders,
  Endpoint,
} from '../core/http/reference/endpoint.js';
import { jsonContentType } from '../core/values/json.js';
import { pageBody, setListHeaders } from '../core/http/lists/list-paginator.js';
import { CompoundsService } from './compounds.service.js';
import { CompoundsResponseDto, ListCompoundsQuery } from './compound.dto.js';

@ApiTags('Compounds')
@ApiSecurity('api-key')
@Controller('compounds')
export class CompoundsController {
  constructor(
    private readonly compounds: CompoundsService,
    private readonly responseStreams: ResponseStreams,
  ) {}

  @Get()
  @UseInterceptors(UnknownNamesInterceptor)
  @Header('content-type', jsonContentType)
  @Endpoint({
    operationId: 'listCompounds',
    permission: 'catalogue.read',
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
}
