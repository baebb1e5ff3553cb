import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../../core/http/errors/error-responses.js';
import type { RequestCaller } from '../../core/http/request-caller.js';
import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { type GroupCommit, GroupCommits } from '../../core/writes/group-commit.js';
import type { Decided, LoadOptions, PendingWrites } from '../../core/writes/write-kind.js';
import { reservationErrors } from '../reservation-errors.js';
import type { ReservationRecords } from '../reservation-records.js';
import { ReservationStateService } from '../reservation-state.service.js';
import { ReservationsRepository } from '../reservations.repository.js';
import {
  type CallbackEffects,
  type CallbackError,
  type CallbackOutcome,
  decideCallback,
} from './callback-decision.js';
import { CallbackLogRepository, type LoggedCallback } from './callback-log.repository.js';
import type { CallbackLogDocument } from './callback-log.schema.js';
import type { CallbackRecord } from './callback-record.js';
import type { CallbackDto } from './callback.dto.js';

interface CallbackRequest {
  readonly caller: RequestCaller;
  readonly callback: CallbackDto;
  readonly record: CallbackRecord;
}

/** The decision about a callback; an error keeps the changes before it (rule CALL-7). */
interface HandledCallback {
  readonly outcome: CallbackOutcome;
  readonly error: DomainError | undefined;
  /** Undefined where there is no such reservation. */
  readonly effects: CallbackEffects | undefined;
}

/** The response to a callback, and its error. */
type CallbackResponse = Answer & Pick<HandledCallback, 'outcome' | 'error'>;

/** Reservations, and the log of the callbacks about them. */
interface CallbackRecords extends PendingWrites {
  readonly reservations: ReservationRecords;
  readonly logged: LoggedCallback[];
}

/**
 * Callbacks of cheque-collection partners (rule CALL-1), stored in groups together with the log of all of them.
 */
@Injectable()
export class CallbacksService {
  private readonly logger = new Logger(CallbacksService.name);
  private readonly commit: GroupCommit<
    CallbackRequest,
    CallbackRecords,
    HandledCallback,
    CallbackResponse
  >;

  constructor(
    commits: GroupCommits,
    private readonly reservations: ReservationsRepository,
    private readonly states: ReservationStateService,
    private readonly log: CallbackLogRepository,
    private readonly errorResponses: ErrorResponses,
    private readonly clock: Clock,
  ) {
    this.commit = commits.of({
      name: 'callback',
      load: (requests, options) => this.load(requests, options),
      decide: (records, request) => this.decide(records, request),
      store: (records, organizationId) => this.store(records, organizationId),
      respond: (decided) => decided.map((one) => this.responseTo(one)),
    });
  }

  /**
   * Applies a callback and logs it, in one transaction. The changes of the steps before an error are
   * committed before the error is thrown (rule CALL-7).
   *
   * @param record what the log keeps of the request
   * @throws DomainError 404 or 422 with the headers that say what was stored
   */
  async handle(
    caller: RequestCaller,
    callback: CallbackDto,
    record: CallbackRecord,
  ): Promise<CallbackOutcome> {
    const { outcome, error } = await this.commit
      .submit({ caller, callback, record }, record.payload)
      .catch((failure: unknown) => {
        // Not awaited: a database in trouble must not hold up the response.
        void this.logFailed(caller, record, failure);
        throw failure;
      });
    if (error !== undefined) throw error;
    return outcome;
  }

  /** Logs a callback that failed and changed nothing, as far as the database allows. */
  async logFailed(caller: RequestCaller, record: CallbackRecord, failure: unknown): Promise<void> {
    const nothing = { reservation: 'unchanged', cheque: 'none' } as const;
    const outcome = this.logged(nothing, toDomainError(failure));
    try {
      await this.log.insert([{ caller, record, outcome }], this.clock.now());
    } catch (error) {
      this.logger.warn({ err: error }, 'A failed callback could not be logged');
    }
  }

  private async load(
    requests: readonly CallbackRequest[],
    { organizationId, now }: LoadOptions<CallbackRecords>,
  ): Promise<{ records: CallbackRecords; count: number }> {
    const ids = requests.flatMap(({ callback }) => parseObjectId(callback.reservationId) ?? []);
    const found = await this.reservations.findByIds(organizationId, ids);
    const reservations = await this.states.load(organizationId, found, now);
    const records = {
      reservations,
      logged: [],
      locks: reservations.locks,
      get bytes() {
        return reservations.bytes;
      },
    };
    return { records, count: requests.length };
  }

  /** Decides a callback over the changes of those before it. */
  private decide(
    { reservations, logged }: CallbackRecords,
    { caller, callback, record }: CallbackRequest,
  ): HandledCallback {
    const handled = apply(reservations, caller, callback);
    const { outcome, error, effects } = handled;
    logged.push({ caller, record, outcome: this.logged(outcome, error, effects) });
    return handled;
  }

  private async store(
    { reservations, logged }: CallbackRecords,
    organizationId: Types.ObjectId,
  ): Promise<void> {
    await this.states.store(organizationId, reservations);
    await this.log.insert(logged, reservations.now);
  }

  private responseTo({
    decision: { outcome, error },
  }: Decided<CallbackRequest, HandledCallback>): CallbackResponse {
    const answer =
      error === undefined
        ? { status: 201, headers: callbackHeaders(outcome) }
        : this.errorResponses.of(error, defaultLanguage);
    return { ...answer, outcome, error };
  }

  private logged(
    { reservation, cheque }: CallbackOutcome,
    error: DomainError | undefined,
    effects?: CallbackEffects,
  ): CallbackLogDocument['outcome'] {
    const did = { reservation, cheque, ...(effects === undefined ? {} : { effects }) };
    if (error === undefined) return { status: 201, errorCode: null, messages: [], ...did };
    const { status, body } = this.errorResponses.of(error, defaultLanguage);
    const errorCode = error.definition.code;
    return { status, errorCode, messages: [body.message].flat(), ...did };
  }
}

function apply(
  records: ReservationRecords,
  { requestId }: RequestCaller,
  callback: CallbackDto,
): HandledCallback {
  const id = parseObjectId(callback.reservationId);
  const loaded = id && records.stateOf(id);
  if (loaded === null) {
    const outcome = {
      reservation: 'unchanged',
      cheque: 'none',
      error: 'reservationNotFound',
    } as const;
    return { outcome, error: callbackError(outcome.error, outcome), effects: undefined };
  }
  const { state, effects, ...outcome } = decideCallback(loaded, callback);
  records.put(loaded, state, requestId);
  const error = outcome.error === undefined ? undefined : callbackError(outcome.error, outcome);
  return { outcome, error, effects };
}

/** Headers that say what the empty body cannot (rule CALL-14). */
export function callbackHeaders({ reservation, cheque }: CallbackOutcome): Record<string, string> {
  return { 'x-callback-reservation': reservation, 'x-callback-cheque': cheque };
}

function callbackError(error: CallbackError, outcome: CallbackOutcome): DomainError {
  return new DomainError(reservationErrors[error], undefined, callbackHeaders(outcome));
}
