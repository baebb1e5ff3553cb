import { Injectable, Logger } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import type { RequestCaller } from '../../core/http/request-caller.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { GroupedTransactions } from '../../core/database/transactions/grouped-transactions.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../../core/http/errors/error-responses.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { Metrics } from '../../core/observability/metrics.js';
import { mebibyte } from '../../core/values/numbers.js';
import { reservationErrors } from '../reservation-errors.js';
import type { ReservationRecords } from '../reservation-records.js';
import { ReservationStateService, unitQueueKey } from '../reservation-state.service.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { type CallbackError, type CallbackOutcome, decideCallback } from './callback-decision.js';
import { type CallbackEffects, callbackEffects } from './callback-effects.js';
import { CallbackLogRepository } from './callback-log.repository.js';
import type { CallbackLogDocument } from './callback-log.schema.js';
import type { CallbackRecord } from './callback-record.js';
import type { CallbackDto } from './callback.dto.js';

/** What goes together at most: callbacks, and bytes of them. */
const limits = { count: 32, bytes: mebibyte };
/** A group ends early when so much of wallets was changed in it. */
const changedBytesLimit = 16 * mebibyte;

interface GroupedCallback {
  readonly caller: RequestCaller;
  readonly callback: CallbackDto;
  readonly record: CallbackRecord;
}

interface HandledCallback {
  readonly outcome: CallbackOutcome;
  readonly error: DomainError | undefined;
  /** Undefined where there is no such reservation. */
  readonly effects: CallbackEffects | undefined;
}

/**
 * Callbacks of cheque-collection partners (rule CALL-1). Those of one organization go in groups: each
 * sees what those before it decided, and one transaction stores it with the log of all of them.
 */
@Injectable()
export class CallbacksService {
  private readonly logger = new Logger(CallbacksService.name);
  private readonly groups: GroupedTransactions<GroupedCallback, HandledCallback>;

  constructor(
    transactions: Transactions,
    private readonly idempotency: IdempotencyService,
    private readonly reservations: ReservationsRepository,
    private readonly states: ReservationStateService,
    private readonly log: CallbackLogRepository,
    private readonly errorResponses: ErrorResponses,
    metrics: Metrics,
  ) {
    const work = {
      begin: ({ caller: { organizationId } }: GroupedCallback) => ({
        run: (callbacks: readonly GroupedCallback[]) => this.applyAll(organizationId, callbacks),
      }),
      queueKeys: (callback: GroupedCallback) => this.queueKeys(callback),
    };
    this.groups = new GroupedTransactions(transactions, work, limits, {
      metrics,
      kind: 'callback',
    });
  }

  /**
   * Applies a callback and logs it, in one transaction. What the steps before an error changed is
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
    const bytes = BSON.calculateObjectSize(record.payload);
    const key = caller.organizationId.toHexString();
    const { outcome, error } = await this.groups
      .submit(key, { caller, callback, record }, bytes, caller.expiresAt)
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
    try {
      await this.log.insert([
        { caller, record, outcome: this.logged(nothing, toDomainError(failure)) },
      ]);
    } catch (error) {
      this.logger.warn({ err: error }, 'A failed callback could not be logged');
    }
  }

  /** Applies callbacks of one organization, from the first on as many as one transaction should hold. */
  private async applyAll(
    organizationId: Types.ObjectId,
    callbacks: readonly GroupedCallback[],
  ): Promise<PromiseSettledResult<HandledCallback>[]> {
    const ids = callbacks.flatMap(({ callback }) => parseObjectId(callback.reservationId) ?? []);
    const reservations = await this.reservations.findByIds(organizationId, ids);
    const records = await this.states.load(organizationId, reservations);
    const handled: HandledCallback[] = [];
    let bytes = 0;
    for (const { caller, callback } of callbacks) {
      if (bytes > changedBytesLimit) break;
      const { changedBytes, effects, ...outcome } = apply(records, caller, callback);
      bytes += changedBytes;
      const error = outcome.error === undefined ? undefined : callbackError(outcome.error, outcome);
      handled.push({ outcome, error, effects });
    }
    await this.states.store(organizationId, records);
    await this.log.insert(
      handled.flatMap(({ outcome, error, effects }, index) => {
        const { caller, record } = callbacks[index] ?? {};
        if (caller === undefined || record === undefined) return [];
        return { caller, record, outcome: this.logged(outcome, error, effects) };
      }),
    );
    const outcomes = handled.map((value) => ({ status: 'fulfilled', value }) as const);
    await this.idempotency.completeGroup(organizationId, callbacks, outcomes, (one) =>
      this.answerOf(one),
    );
    return outcomes;
  }

  /** Callbacks about one unit wait for each other inside the process. */
  private async queueKeys({ caller, callback }: GroupedCallback): Promise<string[]> {
    const id = parseObjectId(callback.reservationId);
    const reservation = id && (await this.reservations.findById(caller.organizationId, id));
    return reservation?.unitId ? [unitQueueKey(reservation.unitId)] : [];
  }

  /** What is sent once the transaction is over; an error keeps what it stored too (rule CALL-7). */
  private answerOf({ outcome, error }: HandledCallback) {
    return error === undefined
      ? { status: 201, headers: callbackHeaders(outcome) }
      : this.errorResponses.of(error, defaultLanguage);
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

/** Decides a callback over what those before it left. */
function apply(
  records: ReservationRecords,
  { requestId }: RequestCaller,
  callback: CallbackDto,
): CallbackOutcome & Pick<HandledCallback, 'effects'> & { readonly changedBytes: number } {
  const id = parseObjectId(callback.reservationId);
  const loaded = id && records.stateOf(id);
  if (loaded === null) {
    const error = 'reservationNotFound';
    const nothing = { reservation: 'unchanged', cheque: 'none', changedBytes: 0 } as const;
    return { ...nothing, error, effects: undefined };
  }
  const { state, ...outcome } = decideCallback(loaded, callback);
  records.put(loaded, state, requestId);
  const changed = state.events.map(({ wallet }) => BSON.calculateObjectSize(wallet));
  const reported = outcome.cheque === 'applied' ? callback.installmentId : undefined;
  return {
    ...outcome,
    effects: callbackEffects(loaded, state, reported),
    changedBytes: changed.reduce((sum, bytes) => sum + bytes, 0),
  };
}

/** Headers that say what the empty body cannot (rule CALL-14). */
export function callbackHeaders({ reservation, cheque }: CallbackOutcome): Record<string, string> {
  return { 'x-callback-reservation': reservation, 'x-callback-cheque': cheque };
}

function callbackError(error: CallbackError, outcome: CallbackOutcome): DomainError {
  return new DomainError(reservationErrors[error], undefined, callbackHeaders(outcome));
}
