import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { duplicateKey } from '../core/database/connection/database-errors.js';
import { withoutSession } from '../core/database/transactions/sessions.js';
import type { CounterDocument } from './counter.schema.js';

/** Increments never join a transaction, so creates do not wait for each other; a failure leaves a gap. */
@Injectable()
export class CountersRepository {
  constructor(@InjectModel('Counter') private readonly counters: Model<CounterDocument>) {}

  async next(organizationId: Types.ObjectId, name: string, count: number): Promise<number[]> {
    const last = await this.advance(organizationId, name, { $inc: { value: count } });
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  }

  /** Moves the sequence forward, never back, and returns where it continues. */
  async skipTo(organizationId: Types.ObjectId, name: string, value: number): Promise<number> {
    return this.advance(organizationId, name, { $max: { value } });
  }

  private async advance(
    organizationId: Types.ObjectId,
    name: string,
    update: object,
  ): Promise<number> {
    const advance = () =>
      withoutSession(() =>
        this.counters
          .findOneAndUpdate({ organizationId, name }, update, {
            upsert: true,
            returnDocument: 'after',
            // The record's commit waits for a majority, which then also has this increment.
            writeConcern: { w: 1 },
          })
          .lean(),
      );
    const counter = await advance().catch((error: unknown) => {
      if (duplicateKey(error) === undefined) throw error;
      return advance();
    });
    return counter.value;
  }
}
