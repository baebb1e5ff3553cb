import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { duplicateKey } from '../connection/database-errors.js';
import type { CounterDocument } from './counter.schema.js';

/**
 * Number sequences of organizations. They are advanced outside the transaction that uses the
 * number, even when called inside one, so that creates do not wait for each other; a transaction
 * that fails afterwards leaves a gap.
 */
@Injectable()
export class CounterRepository {
  constructor(@InjectModel('Counter') private readonly model: Model<CounterDocument>) {}

  /** The next number of the sequence, from 1; no number is given out twice. */
  async next(organizationId: Types.ObjectId, name: string): Promise<number> {
    return this.advance(organizationId, name, { $inc: { value: 1 } });
  }

  /** Makes the sequence go on after a number, unless it is past it already. */
  async skipTo(organizationId: Types.ObjectId, name: string, value: number): Promise<void> {
    await this.advance(organizationId, name, { $max: { value } });
  }

  private async advance(
    organizationId: Types.ObjectId,
    name: string,
    update: object,
  ): Promise<number> {
    // The native call does not join the open transaction, which is the point.
    const change = () =>
      this.model.collection.findOneAndUpdate({ organizationId, name }, update, {
        upsert: true,
        returnDocument: 'after',
      });
    try {
      return Number((await change())?.['value']);
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return Number((await change())?.['value']);
    }
  }
}
