import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { commonCallbackErrors, commonErrors } from '../authentication/authentication-errors.js';
import { type Caller, CurrentCaller } from '../authentication/caller.js';
import { bodyErrors, pathErrors } from '../http/errors/http-errors.js';
import {
  DocumentedAnswer,
  DocumentedErrors,
  DocumentedHeaders,
} from '../http/reference/api-documentation.js';
import { UpsertStatusInterceptor } from '../http/server/upsert-status.interceptor.js';
import { WithRouteOptions } from '../http/server/route-options.js';
import { CallbackRecordInterceptor, sentCallback } from './callback/callback-record.interceptor.js';
import { callbackHeaders, CallbacksService } from './callback/callbacks.service.js';
import { CallbackDto } from './callback/callback.dto.js';
import { callbackErrors, callbackResponseHeaders } from './callback/documented-callback.js';
import { leadErrors } from '../leads/lead-errors.js';
import { reservationErrors } from './reservation-errors.js';
import { ReservationIdParam } from './records/reservation-id.param.js';
import { ReservationAnswerDto, ReservationUpsertDto } from './records/reservation.dto.js';
import { UpsertReservationDto } from './records/upsert-reservation.dto.js';
import { ReservationsService } from './records/reservations.service.js';

/** `/reservations` (sections 4.2 and 4.5). */
@ApiTags('Reservations')
@ApiSecurity('api-key')
@DocumentedHeaders()
@Controller('reservations')
export class ReservationsController {
  constructor(
    private readonly callbacks: CallbacksService,
    private readonly reservations: ReservationsService,
  ) {}

  @Post('webhook')
  @HttpCode(201)
  @WithRouteOptions({
    fixedLanguage: 'en-us',
    acceptsKeyInQuery: true,
    omitsErrorFieldOn401: true,
  })
  @UseInterceptors(CallbackRecordInterceptor)
  @ApiOperation({
    summary: 'Report a change of a reservation or a cheque',
    description:
      'The reservation status is applied first, the cheque after it; what a step stored stays ' +
      'stored when a later one is refused. Every cheque report adds an entry to the history of ' +
      'the cheque, a repeated one too. Messages are always in English.',
  })
  @ApiSecurity('api-key-in-query')
  @ApiQuery({ name: 'api-key', required: false, description: 'The key, when it is not a header.' })
  @ApiResponse({ status: 201, description: 'Done; no body.', headers: callbackResponseHeaders })
  @DocumentedErrors(...bodyErrors, ...callbackErrors, ...commonCallbackErrors)
  async receive(
    @CurrentCaller() caller: Caller,
    @Body() callback: CallbackDto,
    @Req() { id, body }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.headers(
      callbackHeaders(await this.callbacks.handle(caller, callback, sentCallback(id, body))),
    );
  }

  @Post()
  @UseInterceptors(UpsertStatusInterceptor)
  @ApiOperation({
    summary: 'Create or update a reservation',
    description:
      'With recordSystemId the first request creates the reservation and later ones update it. ' +
      'The wallet and the availability of the unit follow; what happens to the cheques is ' +
      'reported by callbacks.',
  })
  @DocumentedAnswer(201, ReservationUpsertDto, 'The reservation was created.')
  @DocumentedAnswer(200, ReservationUpsertDto, 'The reservation was updated.')
  @DocumentedErrors(
    ...bodyErrors,
    reservationErrors.unitRequired,
    reservationErrors.unitAmbiguous,
    reservationErrors.unitNotFound,
    leadErrors.notFound,
    reservationErrors.neverApproved,
    reservationErrors.createdPending,
    reservationErrors.unitFixed,
    reservationErrors.walletFull,
    ...commonErrors,
  )
  upsert(
    @CurrentCaller() caller: Caller,
    @Body() reservation: UpsertReservationDto,
  ): Promise<ReservationUpsertDto> {
    return this.reservations.upsert(caller, reservation);
  }

  @Get(':reservationId')
  @ApiOperation({
    summary: 'Read a reservation',
    description: 'With its wallet and cheques, for a partner whose callback timed out.',
  })
  @DocumentedAnswer(200, ReservationAnswerDto, 'The reservation.')
  @DocumentedErrors(...pathErrors, reservationErrors.reservationNotFound, ...commonErrors)
  async read(
    @CurrentCaller() caller: Caller,
    @Param() path: ReservationIdParam,
  ): Promise<ReservationAnswerDto> {
    return { data: await this.reservations.read(caller, path.reservationId) };
  }
}
