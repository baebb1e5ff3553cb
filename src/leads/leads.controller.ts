import {
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { BodyInterceptor } from '../core/http/body/body.interceptor.js';
import { RequestBody, RequestQuery } from '../core/validation/request-parts.js';
import type { Caller } from '../tenants/keys/caller.js';
import { CurrentCaller } from '../core/http/requests/request-caller.js';
import { bodyErrors, httpErrors, pathErrors } from '../core/errors/http-errors.js';
import {
  JsonBody,
  DocumentedResponse,
  DocumentedUpsert,
  ignoredFieldsHeader,
  headerReference,
  pollingHeaders,
  sendUpsert,
} from '../core/http/api-documentation.js';
import { Endpoint } from '../tenants/keys/endpoint.js';
import {
  LeadBatchResponseDto,
  LeadDeletionResponseDto,
  LeadResponseDto,
  LeadsResponseDto,
  LeadUpsertResponseDto,
} from './dto/lead.dto.js';
import {
  LeadBatchDto,
  leadBatchExamples,
  leadExamples,
  LeadIdParam,
  leadLinks,
  SingleLeadDto,
} from './dto/upsert-lead.dto.js';
import { leadErrors } from './lead-errors.js';
import { LeadBatchesService } from './lead-batches.service.js';
import { setListHeaders } from '../core/http/responses/list-paginator.js';
import { type ResponseBody, ResponseStreams } from '../core/http/responses/response-streams.js';
import { jsonContentType } from '../core/values/json.js';
import { LeadListsService } from './reading/lead-lists.service.js';
import { ListLeadsQuery } from './reading/list-leads.query.js';
import { LeadsService } from './leads.service.js';

@ApiTags('Leads')
@ApiSecurity('api-key')
@Controller('leads')
export class LeadsController {
  constructor(
    private readonly leads: LeadsService,
    private readonly batches: LeadBatchesService,
    private readonly lists: LeadListsService,
    private readonly responseStreams: ResponseStreams,
  ) {}

  @Post()
  @Endpoint({
    operationId: 'upsertLead',
    operation: 'leads.write',
    route: { roundsNumbers: true, hasDryRun: true },
    summary: 'Create or update a lead',
    description:
      'With recordSystemId the first request creates the lead and later ones merge into it, ' +
      'even if they arrive concurrently. Flat fields and data may be mixed; data wins. A phone ' +
      'that another lead of the organization has is refused with 400, unless the organization ' +
      'allows duplicates.',
    errors: [
      ...bodyErrors,
      leadErrors.duplicatePhone,
      leadErrors.databaseReference,
      leadErrors.tooLarge,
      leadErrors.tooManyChanges,
    ],
  })
  @JsonBody(SingleLeadDto, leadExamples)
  @DocumentedUpsert(LeadUpsertResponseDto, {
    noun: 'lead',
    headers: { 'x-unmatched-project': headerReference('x-unmatched-project') },
    links: leadLinks,
  })
  async upsert(
    @CurrentCaller() caller: Caller,
    @RequestBody() lead: SingleLeadDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LeadUpsertResponseDto> {
    return sendUpsert(reply, await this.leads.upsert(caller, lead));
  }

  @Post('batch')
  @HttpCode(200)
  @Endpoint({
    operationId: 'upsertLeads',
    operation: 'leads.write',
    route: { envelopeDepth: 2, roundsNumbers: true },
    summary: 'Create or update many leads',
    description:
      'Handles each lead as if it were sent alone, in order: a refused lead does not affect ' +
      'the others. After a 5xx either everything is stored or nothing: retry with the same ' +
      'Idempotency-Key.',
    errors: bodyErrors,
  })
  @JsonBody(LeadBatchDto, leadBatchExamples)
  @DocumentedResponse(200, LeadBatchResponseDto, 'The result of each lead.', ignoredFieldsHeader)
  upsertAll(
    @CurrentCaller() caller: Caller,
    @RequestBody() batch: LeadBatchDto,
  ): Promise<LeadBatchResponseDto> {
    return this.batches.upsertAll(caller, batch);
  }

  @Get()
  @Header('content-type', jsonContentType)
  @Endpoint({
    operationId: 'listLeads',
    operation: 'leads.list',
    summary: 'List leads',
    description:
      'Lists leads newest first by default, in the order of ids from after=0, or the oldest change ' +
      'first with updatedSince. A lead whose id clients change in a path, such as .., is found by ' +
      'recordSystemId. Over 4 MiB the response is streamed and has no ETag.',
    errors: [httpErrors.validationFailed, httpErrors.cursorUnusable, leadErrors.unknownCompound],
    isPolled: true,
  })
  @DocumentedResponse(200, LeadsResponseDto, 'The leads.', {
    ...pollingHeaders,
    'x-search-incomplete': headerReference('x-search-incomplete'),
  })
  async list(
    @CurrentCaller() caller: Caller,
    @RequestQuery() query: ListLeadsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const { text, end, isComplete } = await this.lists.page(caller, query);
    const body = await this.responseStreams.bufferOrStream(reply, text);
    if (!isComplete) reply.header('x-search-incomplete', 'email');
    setListHeaders(reply, end);
    return body;
  }

  @Get(':recordSystemId')
  @Endpoint({
    operationId: 'readLead',
    operation: 'leads.read',
    summary: 'Read a lead',
    description: 'Returns the current lead, for resynchronizing after a missed outbound event.',
    errors: [...pathErrors, leadErrors.notFound],
    isPolled: true,
  })
  @DocumentedResponse(200, LeadResponseDto, 'The lead.', { etag: pollingHeaders.etag })
  read(@CurrentCaller() caller: Caller, @Param() path: LeadIdParam): Promise<LeadResponseDto> {
    return this.leads.read(caller, path.recordSystemId);
  }

  @Delete(':recordSystemId')
  @UseInterceptors(BodyInterceptor)
  @Endpoint({
    operationId: 'deleteLead',
    operation: 'leads.delete',
    summary: 'Delete a lead',
    description:
      'Soft-deletes the lead. A later POST with the same recordSystemId creates a new one.',
    errors: [...pathErrors, leadErrors.notFound],
  })
  @DocumentedResponse(
    200,
    LeadDeletionResponseDto,
    'The deleted lead as it was.',
    ignoredFieldsHeader,
  )
  delete(
    @CurrentCaller() caller: Caller,
    @Param() path: LeadIdParam,
  ): Promise<LeadDeletionResponseDto> {
    return this.leads.delete(caller, path.recordSystemId);
  }
}
