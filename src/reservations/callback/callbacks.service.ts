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
import { DomainError } from '../../core/http/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../../core/http/errors/error-responses.js';
import type { RequestCaller } from '../../core/http/request-caller.js';
import type { ServiceResponse } from '../../core/idempotency/idempotency-claim.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { GroupCommit } from '../../core/writes/group-commit.js';
import { WriteServices } from '../../core/writes/group-transaction.js';
import type { LoadedRecords, LoadOptions } from '../../core/writes/write-handler.js';
import { reservationErrors } from '../reservation-errors.js';
import { ReservationRecords } from '../reservation-records.js';
import { ReservationStore } from '../reservation-store.service.js';
import { type CallbackEffects, type CallbackOutcome, decideCallback } from './callback-decision.js';
import {
  type CallbackLogDocument,
  CallbackLogRepository,
  type CallbackRecord,
  callbackRecord,
  type LoggedCallback,
} from './callback-log.repository.js';
import type { CallbackDto } from './callback.dto.js';

interface CallbackRequest {
  readonly caller: RequestCaller;
  readonly callback: CallbackDto;
  readonly record: CallbackRecord;
}

/** An error does not undo earlier changes (rule CALL-7). */
interface CallbackResponse extends ServiceResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly error: DomainError | undefined;
  readonly hasEffects: boolean;
}

class CallbackRecords extends ReservationRecords {
  readonly logged: LoggedCallback[] = [];
}

/** Stores callbacks in groups, together with their log (rule CALL-1). */
@Injectable()
export class CallbacksService {
  private readonly logger = new Logger(CallbacksService.name);
  private readonly commit: GroupCommit<
    CallbackRequest,
    CallbackRecords,
    CallbackResponse,
    CallbackResponse
  >;

  constructor(
    services: WriteServices,
    private readonly reservations: ReservationStore,
    private readonly log: CallbackLogRepository,
    private readonly errorResponses: ErrorResponses,
    private readonly clock: Clock,
  ) {
    this.commit = new GroupCommit(services, {
      name: 'callback',
      load: (requests, options) => this.load(requests, options),
      decide: (records, request) => this.decide(records, request),
      store: async (records, organizationId) => {
        await this.reservations.store(organizationId, records);
        await this.log.insert(records.logged, records.now);
      },
      respond: (decided) => decided.map(({ decision }) => decision),
    });
  }

  /** @throws DomainError whose changes are committed nevertheless (rule CALL-7) */
  async handle(
    caller: RequestCaller,
    callback: CallbackDto,
    request: Pick<FastifyRequest, 'id' | 'body'>,
  ): Promise<CallbackResponse['headers']> {
    const record = callbackRecord(request);
    const { headers, error, hasEffects } = await this.commit
      .submit({ caller, callback, record }, record.payload)
      .catch((failure: unknown) => {
        // Not awaited: an unresponsive database must not delay the response.
        void this.logFailed(caller, record, failure);
        throw failure;
      });
    if (error !== undefined) throw error;
    if (!hasEffects) caller.notices?.add('callback.changed_nothing');
    return headers;
  }

  /** Logs a failed callback that changed nothing, if the database allows. */
  async logFailed(caller: RequestCaller, record: CallbackRecord, failure: unknown): Promise<void> {
    const outcome = this.loggedOutcome(unchanged, toDomainError(failure));
    try {
      await this.log.insert([{ caller, record, outcome }], this.clock.now());
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not log a failed callback');
    }
  }

  private async load(
    requests: readonly CallbackRequest[],
    { organizationId, now }: LoadOptions,
  ): Promise<LoadedRecords<CallbackRecords>> {
    const ids = requests.flatMap(({ callback }) => parseObjectId(callback.reservationId) ?? []);
    const found = await this.reservations.findActive(organizationId, { _id: { $in: ids } });
    const loaded = await this.reservations.load(organizationId, found, now);
    return { records: new CallbackRecords(loaded), count: requests.length };
  }

  private decide(
    records: CallbackRecords,
    { caller, callback, record }: CallbackRequest,
  ): CallbackResponse {
    const { effects, error: name, ...did } = applyCallback(records, caller, callback);
    const headers = {
      'x-callback-reservation': did.reservation,
      'x-callback-cheque': did.cheque,
    };
    const error = name && new DomainError(reservationErrors[name], undefined, headers);
    records.logged.push({ caller, record, outcome: this.loggedOutcome(did, error, effects) });
    const response = error
      ? this.errorResponses.responseTo(error, defaultLanguage)
      : { status: 201 };
    const hasEffects = Object.keys(effects ?? {}).length > 0;
    return { headers, ...response, error, hasEffects };
  }

  private loggedOutcome(
    { reservation, cheque }: CallbackOutcome,
    error: DomainError | undefined,
    effects?: CallbackEffects,
  ): CallbackLogDocument['outcome'] {
    const fields = { reservation, cheque, ...(effects && { effects }) };
    if (error === undefined) return { status: 201, errorCode: null, messages: [], ...fields };
    const { status, body } = this.errorResponses.responseTo(error, defaultLanguage);
    const errorCode = error.definition.code;
    return { status, errorCode, messages: [body.message].flat(), ...fields };
  }
}

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

function applyCallback(
  records: ReservationRecords,
  { requestId }: RequestCaller,
  callback: CallbackDto,
): CallbackOutcome & { readonly effects?: CallbackEffects } {
  const id = parseObjectId(callback.reservationId);
  const reservation = id && records.findById(id);
  if (!reservation) return { ...unchanged, error: 'reservationNotFound' };
  const loaded = records.stateOf(reservation);
  const { state, ...outcome } = decideCallback(loaded, callback);
  records.put(loaded, state, requestId);
  return outcome;
}
