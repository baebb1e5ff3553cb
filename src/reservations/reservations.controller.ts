import {
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeaders, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyErrors, httpErrors, pathErrors } from '../core/errors/http-errors.js';
import { commonCallbackErrors } from '../tenants/keys/key-errors.js';
import {
  JsonBody,
  DocumentedResponse,
  DocumentedUpsert,
  ignoredFieldsHeader,
  pollingHeaders,
  sendUpsert,
} from '../core/http/api-documentation.js';
import { setListHeaders } from '../core/http/responses/list-paginator.js';
import { type ResponseBody, ResponseStreams } from '../core/http/responses/response-streams.js';
import { jsonContentType } from '../core/values/json.js';
import { ListReservationsQuery } from './reading/list-reservations.query.js';
import { ReservationListsService } from './reading/reservation-lists.service.js';
import { Endpoint } from '../tenants/keys/endpoint.js';
import { CurrentCaller } from '../core/http/requests/request-caller.js';
import { RequestBody, RequestQuery } from '../core/validation/request-parts.js';
import { leadErrors } from '../leads/lead-errors.js';
import {
  CallbackDto,
  callbackExamples,
  CallbackQuery,
  signatureHeaders,
} from './callback/callback.dto.js';
import { CallbackLogInterceptor, CallbacksService } from './callback/callbacks.service.js';
import {
  ReservationIdParam,
  ReservationResponseDto,
  ReservationsResponseDto,
  ReservationUpsertResponseDto,
} from './reading/reservation.dto.js';
import {
  ReconciliationDto,
  reconciliationExamples,
  ReconciliationResponseDto,
} from './reconciliation/reconciliation.dto.js';
import { ReconciliationsService } from './reconciliation/reconciliations.service.js';
import { reservationErrors } from './reservation-errors.js';
import { ReservationStateService } from './reservation-state.service.js';
import { ReservationUpsertsService } from './upsert/reservation-upserts.service.js';
import {
  reservationExamples,
  reservationLinks,
  UpsertReservationDto,
} from './upsert/upsert-reservation.dto.js';
import type { Caller } from '../tenants/keys/caller.js';

/** The body is empty; headers report what the callback did (rule CALL-14). */
const callbackResponseHeaders = {
  'x-callback-reservation': {
    description:
      'applied: the request changed the reservation itself, by the status or by the consequence of ' +
      'the cheque; unchanged: it did not, even if its unit or wallet changed; ' +
      'ignored: the status is valid but changes nothing, and neither did the cheque.',
    schema: { type: 'string' as const, enum: ['applied', 'unchanged', 'ignored'] },
  },
  'x-callback-cheque': {
    description:
      'applied: the report was stored; skipped: the reservation has no matching wallet; ' +
      'none: no cheque was sent, or none was reached.',
    schema: { type: 'string' as const, enum: ['applied', 'skipped', 'none'] },
  },
};

const callbackErrors = [
  reservationErrors.reservationNotFound,
  reservationErrors.unitNotFound,
  reservationErrors.chequeNotFound,
  reservationErrors.notPendingChequeCollection,
  reservationErrors.unitAlreadyReserved,
  reservationErrors.walletFull,
].map((error) => ({ ...error, documentedHeaders: callbackResponseHeaders }));

@ApiTags('Reservations')
@ApiSecurity('api-key')
@Controller('reservations')
export class ReservationsController {
  constructor(
    private readonly callbacks: CallbacksService,
    private readonly upserts: ReservationUpsertsService,
    private readonly reservations: ReservationStateService,
    private readonly lists: ReservationListsService,
    private readonly responseStreams: ResponseStreams,
    private readonly reconciliations: ReconciliationsService,
  ) {}

  @Post()
  @Endpoint({
    operationId: 'upsertReservation',
    operation: 'reservations.write',
    summary: 'Create or update a reservation',
    description:
      'With recordSystemId the first request creates the reservation and later ones update it, ' +
      'together with its wallet and the availability of its unit. Callbacks report the cheques.',
    errors: [
      ...bodyErrors,
      reservationErrors.unitRequired,
      reservationErrors.unitAmbiguous,
      reservationErrors.unitNotFound,
      leadErrors.notFound,
      reservationErrors.neverApproved,
      reservationErrors.createdPending,
      reservationErrors.unitFixed,
      reservationErrors.walletFull,
    ],
  })
  @JsonBody(UpsertReservationDto, reservationExamples)
  @DocumentedUpsert(ReservationUpsertResponseDto, {
    noun: 'reservation',
    links: reservationLinks,
  })
  async upsert(
    @CurrentCaller() caller: Caller,
    @RequestBody() reservation: UpsertReservationDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationUpsertResponseDto> {
    return sendUpsert(reply, await this.upserts.upsert(caller, reservation));
  }

  @Get()
  @Header('content-type', jsonContentType)
  @Endpoint({
    operationId: 'listReservations',
    operation: 'reservations.list',
    summary: 'List reservations',
    description:
      'Lists reservations with their wallets and cheques: newest first by default, in the order of ' +
      'ids from after=0, or the oldest change first with updatedSince, which also finds changes of ' +
      'wallets. Over 4 MiB it is streamed and has no ETag.',
    errors: [httpErrors.validationFailed, httpErrors.cursorUnusable],
    isPolled: true,
  })
  @DocumentedResponse(200, ReservationsResponseDto, 'The reservations.', pollingHeaders)
  async list(
    @CurrentCaller() caller: Caller,
    @RequestQuery() query: ListReservationsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const { text, end } = await this.lists.page(caller, query);
    const body = await this.responseStreams.bufferOrStream(reply, text);
    setListHeaders(reply, end);
    return body;
  }

  @Get(':reservationId')
  @Endpoint({
    operationId: 'readReservation',
    operation: 'reservations.read',
    summary: 'Read a reservation',
    description:
      'Returns the reservation with its wallet and cheques, for a partner whose callback timed out.',
    errors: [...pathErrors, reservationErrors.reservationNotFound],
    isPolled: true,
  })
  @DocumentedResponse(200, ReservationResponseDto, 'The reservation.', {
    etag: pollingHeaders.etag,
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Param() path: ReservationIdParam,
  ): Promise<ReservationResponseDto> {
    return { data: await this.reservations.read(caller, path.reservationId) };
  }

  @Post('webhook')
  @HttpCode(201)
  @UseInterceptors(CallbackLogInterceptor)
  @Endpoint({
    operationId: 'reportReservationChange',
    operation: 'reservations.callback',
    route: {
      fixedLanguage: 'en-us',
      acceptsKeyInQuery: true,
      hasOwnMethodsOnly: true,
      readsOnlyFieldsOf: CallbackDto,
    },
    summary: 'Report a change of a reservation or a cheque',
    description:
      'The reservation status is applied first, then the cheque; the changes of a step stay ' +
      'stored if a later step fails. Every cheque report adds an entry to the history of the ' +
      'cheque, even if it is repeated. Messages are always in English. A client that cannot ' +
      'set headers may send the API key as the query parameter `api-key` of this operation. A ' +
      'key for signed callbacks needs the three headers of Standard Webhooks.\n\n' +
      '![The states of a reservation](reservation-states.svg)',
    errors: [...bodyErrors, ...callbackErrors],
    common: commonCallbackErrors,
  })
  @ApiSecurity('api-key-query')
  @ApiHeaders(signatureHeaders)
  @JsonBody(CallbackDto, callbackExamples)
  @ApiResponse({
    status: 201,
    description: 'The callback was processed; the response has no body.',
    headers: { ...callbackResponseHeaders, ...ignoredFieldsHeader },
  })
  async receive(
    @CurrentCaller() caller: Caller,
    @RequestQuery() _query: CallbackQuery,
    @RequestBody() callback: CallbackDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.headers(await this.callbacks.handle(caller, callback, request));
  }

  @Post('reconciliation')
  @HttpCode(200)
  @Endpoint({
    operationId: 'reconcileCheques',
    operation: 'reservations.reconcile',
    route: { hasOwnMethodsOnly: true },
    summary: "Compare a partner's ledger of cheques",
    description:
      'Returns the differences between the ledger and the stored cheques, from one snapshot; changes ' +
      'nothing. Like a callback, it looks for a cheque in the active wallet, then in deleted ones.',
    errors: [...bodyErrors],
  })
  @JsonBody(ReconciliationDto, reconciliationExamples)
  @DocumentedResponse(200, ReconciliationResponseDto, 'The differences.', ignoredFieldsHeader)
  async reconcile(
    @CurrentCaller() caller: Caller,
    @RequestBody() ledger: ReconciliationDto,
  ): Promise<ReconciliationResponseDto> {
    return this.reconciliations.reconcile(caller, ledger);
  }
}
