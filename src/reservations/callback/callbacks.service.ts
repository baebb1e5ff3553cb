import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../../authentication/caller.js';
import { parseObjectId } from '../../database/documents/object-id.js';
import { Transactions } from '../../database/transactions/transactions.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { errorResponse, toDomainError } from '../../http/errors/error-response.js';
import { defaultLanguage } from '../../localization/language.js';
import { reservationErrors } from '../reservation-errors.js';
import { ReservationStateService, unitQueueKey } from '../reservation-state.service.js';
import type { ReservationDocument } from '../reservation.schema.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { type CallbackError, type CallbackOutcome, decideCallback } from './callback-decision.js';
import { CallbackLogRepository } from './callback-log.repository.js';
import type { CallbackLogDocument } from './callback-log.schema.js';
import type { CallbackRequest } from './callback-request.js';
import type { CallbackDto } from './callback.dto.js';

/** Callbacks of cheque-collection partners (rule CALL-1). */
@Injectable()
export class CallbacksService {
  private readonly logger = new Logger(CallbacksService.name);

  constructor(
    private readonly transactions: Transactions,
    private readonly reservations: ReservationsRepository,
    private readonly states: ReservationStateService,
    private readonly log: CallbackLogRepository,
  ) {}

  /**
   * Applies a callback and logs it, in one transaction. What the steps before an error changed is
   * committed before the error is thrown (rule CALL-7).
   *
   * @param request the callback as it was received
   * @throws DomainError 404 or 422 with the headers that say what was stored
   */
  async handle(
    caller: Caller,
    callback: CallbackDto,
    request: CallbackRequest,
  ): Promise<CallbackOutcome> {
    const { outcome, error } = await this.run(caller, callback, request).catch(
      (failure: unknown) => {
        // Not awaited: a database in trouble must not hold up the response.
        void this.logFailed(caller, request, failure);
        throw failure;
      },
    );
    if (error !== undefined) throw error;
    return outcome;
  }

  /** Logs a callback that failed and changed nothing, as far as the database allows. */
  async logFailed(caller: Caller, request: CallbackRequest, failure: unknown): Promise<void> {
    const nothing = { reservation: 'unchanged', cheque: 'none' } as const;
    try {
      await this.log.insert(caller, request, this.logged(nothing, toDomainError(failure)));
    } catch (error) {
      this.logger.warn({ err: error }, 'A failed callback could not be logged');
    }
  }

  /** Callbacks about one unit wait for each other inside the process. */
  private async run(caller: Caller, callback: CallbackDto, request: CallbackRequest) {
    const { organizationId } = caller;
    const unitId = (await this.find(organizationId, callback))?.unitId;
    const work = async () => {
      const outcome = await this.apply(caller, callback);
      const error = outcome.error === undefined ? undefined : callbackError(outcome.error, outcome);
      await this.log.insert(caller, request, this.logged(outcome, error));
      return { outcome, error };
    };
    return this.transactions.run(work, { queueKeys: unitId ? [unitQueueKey(unitId)] : [] });
  }

  private async apply(
    { organizationId, requestId }: Caller,
    callback: CallbackDto,
  ): Promise<CallbackOutcome> {
    const reservation = await this.find(organizationId, callback);
    if (reservation === null) {
      return { reservation: 'unchanged', cheque: 'none', error: 'reservationNotFound' };
    }
    const loaded = await this.states.load(reservation);
    const { state, ...outcome } = decideCallback(loaded, callback);
    await this.states.store(loaded, state, { requestId });
    return outcome;
  }

  private logged(
    { reservation, cheque }: CallbackOutcome,
    error: DomainError | undefined,
  ): CallbackLogDocument['outcome'] {
    if (error === undefined) return { status: 201, messages: [], reservation, cheque };
    const { status, body } = errorResponse(error, defaultLanguage);
    return { status, messages: [body.message].flat(), reservation, cheque };
  }

  private async find(
    organizationId: Types.ObjectId,
    { reservationId }: CallbackDto,
  ): Promise<ReservationDocument | null> {
    const id = parseObjectId(reservationId);
    return id && this.reservations.findById(organizationId, id);
  }
}

/** Headers that say what the empty body cannot (rule CALL-14). */
export function callbackHeaders({ reservation, cheque }: CallbackOutcome): Record<string, string> {
  return { 'x-callback-reservation': reservation, 'x-callback-cheque': cheque };
}

function callbackError(error: CallbackError, outcome: CallbackOutcome): DomainError {
  return new DomainError(reservationErrors[error], undefined, callbackHeaders(outcome));
}
