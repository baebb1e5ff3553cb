import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestBody, RequestQuery } from '../core/validation/request-parts.js';
import { bodyErrors, httpErrors, pathErrors } from '../core/errors/http-errors.js';
import type { Caller } from '../tenants/keys/caller.js';
import { CurrentCaller } from '../core/http/requests/request-caller.js';
import {
  type ResponseBody,
  ResponseStreams,
  acceptedType,
  addVary,
} from '../core/http/responses/response-streams.js';
import {
  JsonBody,
  DocumentedResponse,
  DocumentedUpsert,
  pollingHeaders,
  sendUpsert,
} from '../core/http/api-documentation.js';
import { Endpoint } from '../tenants/keys/endpoint.js';
import { pageBody, setListHeaders } from '../core/http/responses/list-paginator.js';
import { unitErrors } from './unit-errors.js';
import {
  DocumentedExport,
  unitExamples,
  unitLinks,
  UnitResponseDto,
  UnitSlugParam,
  UnitsResponseDto,
  UnitUpsertResponseDto,
  UpsertUnitDto,
} from './unit.dto.js';
import { type ExportFormat, ExportUnitsQuery, ListUnitsQuery } from './reading/units.query.js';
import { UnitUpsertsService } from './writing/unit-upserts.service.js';
import { UnitsService } from './reading/units.service.js';

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

const listErrors = [
  httpErrors.validationFailed,
  httpErrors.cursorUnusable,
  unitErrors.tooManyToSort,
  unitErrors.unsortable,
  unitErrors.removalsUnsortable,
  unitErrors.unknownName,
];

@ApiSecurity('api-key')
@Controller('units')
export class UnitsController {
  constructor(
    private readonly units: UnitsService,
    private readonly upserts: UnitUpsertsService,
    private readonly responseStreams: ResponseStreams,
  ) {}

  @Post()
  @Endpoint({
    operationId: 'upsertUnit',
    tags: ['Units'],
    operation: 'units.write',
    summary: 'Create or update a unit',
    description:
      'recordSystemId, else unitId, identifies the unit; the first request creates it and ' +
      'later ones change the sent fields, even if they arrive concurrently. Names must exist ' +
      'in the catalogue. ' +
      'isDeleted retires it.',
    errors: [
      ...bodyErrors,
      unitErrors.idRequired,
      unitErrors.compoundRequired,
      unitErrors.ambiguous,
      unitErrors.unitIdTaken,
      unitErrors.unknownName,
      unitErrors.noneToDelete,
    ],
  })
  @JsonBody(UpsertUnitDto, unitExamples)
  @DocumentedUpsert(UnitUpsertResponseDto, { noun: 'unit', links: unitLinks })
  async upsert(
    @CurrentCaller() caller: Caller,
    @RequestBody() unit: UpsertUnitDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UnitUpsertResponseDto> {
    return sendUpsert(reply, await this.upserts.upsert(caller, unit));
  }

  @Get()
  @Endpoint({
    operationId: 'listUnits',
    tags: ['Units'],
    operation: 'catalogue.read',
    isCached: true,
    summary: 'List units',
    description:
      'Lists units newest first by default, or the oldest change first with updatedSince; sort overrides ' +
      'both.',
    errors: listErrors,
    isPolled: true,
  })
  @DocumentedResponse(200, UnitsResponseDto, 'The units.', pollingHeaders)
  async list(
    @CurrentCaller() caller: Caller,
    @RequestQuery() query: ListUnitsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UnitsResponseDto> {
    return pageBody(reply, await this.units.page(caller, query));
  }

  @Get('export/all')
  @Endpoint({
    operationId: 'exportUnits',
    tags: ['Units'],
    operation: 'catalogue.read',
    summary: 'Export units',
    description:
      'Returns all matching units, at most 10,000, in one streamed response, read from one snapshot. ' +
      'The format is that of `format`, else of Accept, else JSON.',
    errors: listErrors,
  })
  @DocumentedExport()
  async export(
    @CurrentCaller() caller: Caller,
    @RequestQuery() query: ExportUnitsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const format = query.format ?? acceptedFormat(request);
    const { total, end, text } = await this.units.export(caller, query, format);
    const body = await this.responseStreams.stream(reply, text);
    reply.header('content-type', `${mediaTypes[format]}; charset=utf-8`);
    addVary(reply, 'accept');
    reply.header('x-total-count', total);
    reply.header('content-disposition', `attachment; filename="units.${format}"`);
    if (end.next !== null) reply.header('x-truncated', 'true');
    setListHeaders(reply, end);
    return body;
  }

  @Get(':slug')
  @Endpoint({
    operationId: 'readUnit',
    tags: ['Units'],
    operation: 'catalogue.read',
    isCached: true,
    summary: 'Read a unit',
    description: 'Returns the unit with its type, phase, design and amenities.',
    errors: [...pathErrors, unitErrors.notFound],
    isPolled: true,
  })
  @DocumentedResponse(200, UnitResponseDto, 'The unit.', { etag: pollingHeaders.etag })
  async read(
    @CurrentCaller() caller: Caller,
    @Param() { slug }: UnitSlugParam,
  ): Promise<UnitResponseDto> {
    return { data: await this.units.read(caller, slug) };
  }
}

function acceptedFormat(request: FastifyRequest): ExportFormat {
  const accepted = acceptedType(request, Object.values(mediaTypes));
  const formats = Object.keys(mediaTypes) as ExportFormat[];
  return formats.find((format) => mediaTypes[format] === accepted) ?? 'json';
}
