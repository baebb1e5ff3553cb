import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../authentication/caller.js';
import { Clock } from '../configuration/clock.js';
import type { CallbackOutcome } from './callback-record.schema.js';
import { CallbackRecordsRepository } from './callback-records.repository.js';

/** A callback and what came of it. */
export interface CallbackRecord {
  readonly requestId: string;
  readonly payload: object;
  readonly outcome: CallbackOutcome;
}

/** The record of every authenticated callback ("Reservation callback" 7). */
@Injectable()
export class CallbackRecords {
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
}
