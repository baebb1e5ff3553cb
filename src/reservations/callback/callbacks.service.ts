import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import { Clock } from '../../core/configuration/clock.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../../core/errors/error-responses.js';
import type { RequestCaller } from '../../core/http/requests/request-caller.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { reservationErrors } from '../reservation-errors.js';
import { ReservationStateService } from '../reservation-state.service.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { type CallbackEffects, type CallbackOutcome, decideCallback } from './callback-decision.js';
import { CallbackLogRepository } from './callback-log.repository.js';
import type { CallbackLogDocument, CallbackRecord } from './callback-log.schema.js';
import { callbackRecord } from './callback-record.js';
import type { CallbackDto } from './callback.dto.js';

/** Stores each callback together with its log (rule CALL-1). */
@Injectable()
export class CallbacksService {
  private readonly logger = new Logger(CallbacksService.name);

  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: IdempotencyService,
    private readonly reservations: ReservationsRepository,
    private readonly store: ReservationStateService,
    private readonly log: CallbackLogRepository,
    private readonly errorResponses: ErrorResponses,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the headers of the response.
   *
   * @throws DomainError whose changes are committed nevertheless (rule CALL-7)
   */
  async handle(
    caller: RequestCaller,
    callback: CallbackDto,
    request: Pick<FastifyRequest, 'id' | 'body'>,
  ): Promise<Readonly<Record<string, string>>> {
    const record = callbackRecord(request);
    const { organizationId, expiresAt } = caller;
    const oneAtATime = { organizationId, record: `reservation ${callback.reservationId}` };
    const { headers, error, effects } = await this.transactions
      .run(() => this.carryOut(caller, callback, record), { expiresAt, oneAtATime })
      .catch((failure: unknown) => {
        // Not awaited: an unresponsive database must not delay the response.
        void this.logFailed(caller, record, failure);
        throw failure;
      });
    if (error !== undefined) throw error;
    if (Object.keys(effects ?? {}).length === 0) caller.notices?.add('callback.changed_nothing');
    return headers;
  }

  private async carryOut(caller: RequestCaller, callback: CallbackDto, record: CallbackRecord) {
    const now = this.clock.now();
    const outcome = await this.decideAndStore(caller, callback, now);
    const { reservation, cheque, error: name, effects } = outcome;
    const headers = { 'x-callback-reservation': reservation, 'x-callback-cheque': cheque };
    const error = name && new DomainError(reservationErrors[name], undefined, headers);
    await this.log.insert({ caller, record, outcome: this.loggedOutcome(outcome, error) }, now);
    const response = error
      ? this.errorResponses.responseTo(error, defaultLanguage)
      : { status: 201 };
    await this.idempotency.complete(caller, { headers, ...response }, now);
    return { headers, error, effects };
  }

  private async decideAndStore(
    { organizationId, requestId }: RequestCaller,
    callback: CallbackDto,
    now: Date,
  ): Promise<DecidedCallback> {
    const _id = parseObjectId(callback.reservationId);
    const reservation = _id && (await this.reservations.findActive(organizationId, _id));
    if (reservation === null) return { ...unchanged, error: 'reservationNotFound' };
    const before = await this.store.load(reservation, now);
    const { state: after, ...outcome } = decideCallback(before, callback);
    await this.store.store(before, after, { requestId });
    return outcome;
  }

  /** Logs a failed callback that changed nothing, if the database allows. */
  async logFailed(caller: RequestCaller, record: CallbackRecord, failure: unknown): Promise<void> {
    const outcome = this.loggedOutcome(unchanged, toDomainError(failure));
    try {
      await this.log.insert({ caller, record, outcome }, this.clock.now());
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not log a failed callback');
    }
  }

  private loggedOutcome(
    { reservation, cheque, effects }: DecidedCallback,
    error: DomainError | undefined,
  ): CallbackLogDocument['outcome'] {
    const fields = { reservation, cheque, ...(effects && { effects }) };
    if (error === undefined) return { status: 201, errorCode: null, messages: [], ...fields };
    const { status, body } = this.errorResponses.responseTo(error, defaultLanguage);
    const errorCode = error.definition.code;
    return { status, errorCode, messages: [body.message].flat(), ...fields };
  }
}

type DecidedCallback = CallbackOutcome & { readonly effects?: CallbackEffects };

/** Callbacks with an invalid body reach no service, so they are logged here. */
@Injectable()
export class CallbackLogInterceptor implements NestInterceptor {
  constructor(private readonly callbacks: CallbacksService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (caller !== undefined && error instanceof DomainError && error.status === 400) {
          await this.callbacks.logFailed(caller, callbackRecord(request), error);
        }
        throw error;
      }),
    );
  }
}

const unchanged = { reservation: 'unchanged', cheque: 'none' } as const;
