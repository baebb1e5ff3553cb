import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../../authentication/caller.js';
import { Clock } from '../../configuration/clock.js';
import { errorResponse, toDomainError } from '../../http/errors/error-response.js';
import { defaultLanguage } from '../../localization/language.js';
import type { CallbackOutcome } from './callback-record.schema.js';
import { CallbackRecordsRepository } from './callback-records.repository.js';

/** A callback as it arrived. */
export interface SentCallback {
  readonly requestId: string;
  /** The body, with everything that was in it. */
  readonly payload: object;
}

/** A callback and what came of it. */
export interface CallbackRecord extends SentCallback {
  readonly outcome: CallbackOutcome;
}

/** The record of every authenticated callback ("Reservation callback" 7). */
@Injectable()
export class CallbackRecords {
  private readonly logger = new Logger(CallbackRecords.name);

  constructor(
    private readonly records: CallbackRecordsRepository,
    private readonly clock: Clock,
  ) {}

  /** Stores a record, inside the transaction of the callback where there is one. */
  async add({ organizationId, apiKeyId }: Caller, record: CallbackRecord): Promise<void> {
    const now = this.clock.now();
    const { reservationId } = record.payload as { reservationId?: unknown };
    await this.records.insert({
      _id: new Types.ObjectId(),
      organizationId,
      apiKeyId,
      reservationId: typeof reservationId === 'string' ? reservationId.toLowerCase() : null,
      ...record,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** Stores that a callback came to nothing, as far as the database takes it. */
  async addFailed(caller: Caller, sent: SentCallback, error: unknown): Promise<void> {
    const refusal = toDomainError(error);
    const { body } = errorResponse(refusal, defaultLanguage);
    const messages = [body.message].flat();
    const nothing = { reservation: 'unchanged', cheque: 'none' } as const;
    try {
      await this.add(caller, {
        ...sent,
        outcome: { status: refusal.status, messages, ...nothing },
      });
    } catch (failure) {
      this.logger.warn({ err: failure }, 'A callback that came to nothing could not be recorded');
    }
  }
}
