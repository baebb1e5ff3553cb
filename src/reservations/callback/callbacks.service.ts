import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../../authentication/caller.js';
import { parseObjectId } from '../../database/documents/object-id.js';
import { Transactions } from '../../database/transactions/transactions.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { defaultLanguage } from '../../localization/language.js';
import { messageText } from '../../localization/messages.js';
import { reservationErrors } from '../reservation-errors.js';
import type { CallbackOutcome } from './callback-record.schema.js';
import { CallbackRecords, type SentCallback } from './callback-records.js';
import { type CallbackProgress, CallbackSteps } from './callback-steps.js';
import type { CallbackDto } from './callback.dto.js';
import type { ReservationDocument } from '../records/reservation.schema.js';
import { ReservationsRepository } from '../records/reservations.repository.js';
import { unitQueueKey } from '../records/unit-queue-key.js';

/** Callbacks of cheque-collection partners (section 4.2). */
@Injectable()
export class CallbacksService {
  constructor(
    private readonly transactions: Transactions,
    private readonly reservations: ReservationsRepository,
    private readonly steps: CallbackSteps,
    private readonly records: CallbackRecords,
  ) {}

  /**
   * Applies a callback and records it, in one transaction. What the steps before a refusal stored
   * is committed before the refusal is thrown.
   *
   * @throws DomainError 404 or 422 with the headers that tell what was stored
   */
  async handle(
    caller: Caller,
    callback: CallbackDto,
    sent: SentCallback,
  ): Promise<CallbackOutcome> {
    const { refusal, outcome } = await this.run(caller, callback, sent).catch((error: unknown) => {
      // Not awaited: a database in trouble must not hold up the answer.
      void this.records.addFailed(caller, sent, error);
      throw error;
    });
    if (refusal === undefined) return outcome;
    throw new DomainError(reservationErrors[refusal], undefined, callbackHeaders(outcome));
  }

  private async run(caller: Caller, callback: CallbackDto, sent: SentCallback) {
    const queueKeys = await this.queueKeys(caller, callback);
    const work = async () => {
      const progress = await this.progress(caller, callback);
      const outcome = this.toOutcome(progress);
      await this.records.add(caller, { ...sent, outcome });
      return { refusal: progress.refusal, outcome };
    };
    return this.transactions.run(work, { queueKeys });
  }

  private async progress(
    { organizationId }: Caller,
    callback: CallbackDto,
  ): Promise<CallbackProgress> {
    const reservation = await this.find(organizationId, callback);
    if (reservation === null) {
      return { reservation: 'unchanged', cheque: 'none', refusal: 'reservationNotFound' };
    }
    const { reservationStatus, installmentId, chequeStatus, chequeNumber, chequeAmount } = callback;
    const hasCheque = installmentId !== undefined && chequeStatus !== undefined;
    return this.steps.run(reservation, {
      reservationStatus,
      cheque: hasCheque
        ? { installmentId, status: chequeStatus, chequeNumber, chequeAmount }
        : undefined,
    });
  }

  private toOutcome({ refusal, reservation, cheque }: CallbackProgress): CallbackOutcome {
    if (refusal === undefined) return { status: 201, messages: [], reservation, cheque };
    const { status, message } = reservationErrors[refusal];
    const messages = [messageText({ key: message }, defaultLanguage)];
    return { status, messages, reservation, cheque };
  }

  /** Callbacks about one unit wait for each other inside the process. */
  private async queueKeys({ organizationId }: Caller, callback: CallbackDto): Promise<string[]> {
    const reservation = await this.find(organizationId, callback);
    return reservation?.unitId ? [unitQueueKey(reservation.unitId)] : [];
  }

  private async find(
    organizationId: Types.ObjectId,
    { reservationId }: CallbackDto,
  ): Promise<ReservationDocument | null> {
    const id = parseObjectId(reservationId);
    return id && this.reservations.findById(organizationId, id);
  }
}

/** Headers that say what the empty body cannot ("Reservation callback" 8). */
export function callbackHeaders({
  reservation,
  cheque,
}: Pick<CallbackOutcome, 'reservation' | 'cheque'>): Record<string, string> {
  return { 'x-callback-reservation': reservation, 'x-callback-cheque': cheque };
}
