import { Controller, Get, Res } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { httpErrors } from '../../core/errors/http-errors.js';
import { DocumentedResponse, pollingHeaders } from '../../core/http/api-documentation.js';
import { CurrentCaller } from '../../core/http/requests/request-caller.js';
import { pageBody } from '../../core/http/responses/list-paginator.js';
import { RequestQuery } from '../../core/validation/request-parts.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { Endpoint } from '../../tenants/keys/endpoint.js';
import { DueChequesResponseDto, ListChequesQuery } from './due-cheque.dto.js';
import { DueChequesService } from './due-cheques.service.js';

@ApiTags('Reservations')
@ApiSecurity('api-key')
@Controller('cheques')
export class ChequesController {
  constructor(private readonly cheques: DueChequesService) {}

  @Get()
  @Endpoint({
    operationId: 'listCheques',
    operation: 'reservations.list',
    summary: 'List cheques by due date',
    description:
      'Lists the cheques of active wallets: a work list for a day of collecting. Cheques without a ' +
      'due date come last. To copy cheques, copy the reservations.',
    errors: [httpErrors.validationFailed, httpErrors.cursorUnusable],
    isPolled: true,
  })
  @DocumentedResponse(200, DueChequesResponseDto, 'The cheques.', {
    etag: pollingHeaders.etag,
    'x-next-cursor': pollingHeaders['x-next-cursor'],
  })
  async list(
    @CurrentCaller() caller: Caller,
    @RequestQuery() query: ListChequesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DueChequesResponseDto> {
    return pageBody(reply, await this.cheques.page(caller, query));
  }
}
