import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type Model, SchemaTypes, type Types } from 'mongoose';
import { duplicateKey } from '../connection/database-errors.js';

/** The last number given out of a sequence of an organization. */
@Schema({ collection: 'counters' })
export class CounterDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  @Prop({ required: true })
  name!: string;

  @Prop({ required: true })
  value!: number;
}

export const counterSchema = SchemaFactory.createForClass(CounterDocument);

/** The counter of a sequence; without it two first increments would make two counters. */
counterSchema.index({ organizationId: 1, name: 1 }, { name: 'counter', unique: true });

/**
 * Number sequences of organizations. They never join the transaction that uses the number, so that
 * creates do not wait for each other; a transaction that fails afterwards leaves a gap.
 */
@Injectable()
export class CountersRepository {
  constructor(@InjectModel('Counter') private readonly model: Model<CounterDocument>) {}

  /** The next numbers of the sequence, from 1; no number is given out twice. */
  async next(organizationId: Types.ObjectId, name: string, count: number): Promise<number[]> {
    const last = await this.advance(organizationId, name, { $inc: { value: count } });
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  }

  /**
   * Makes the sequence continue after a number, unless it is past it already.
   *
   * @returns the number after which it continues
   */
  async skipTo(organizationId: Types.ObjectId, name: string, value: number): Promise<number> {
    return this.advance(organizationId, name, { $max: { value } });
  }

  private async advance(
    organizationId: Types.ObjectId,
    name: string,
    update: object,
  ): Promise<number> {
    // Without a session: the open transaction must not hold the counter until it commits.
    const advance = () =>
      this.model.collection.findOneAndUpdate({ organizationId, name }, update, {
        upsert: true,
        returnDocument: 'after',
        // The commit of what uses the number waits for a majority, which then has this too.
        writeConcern: { w: 1 },
      });
    try {
      return Number((await advance())?.['value']);
    } catch (error) {
      // Another request has created the counter meanwhile.
      if (duplicateKey(error) === undefined) throw error;
      return Number((await advance())?.['value']);
    }
  }
}
