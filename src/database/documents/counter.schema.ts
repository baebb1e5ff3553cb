import { Schema, type Types } from 'mongoose';

/** The last number given out of a sequence of an organization. */
export interface CounterDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  name: string;
  value: number;
}

/** Collection `counters`. */
export const counterSchema = new Schema<CounterDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true },
    value: { type: Number, required: true },
  },
  { collection: 'counters' },
);

/** The counter of a sequence; without it two first increments would make two counters. */
counterSchema.index({ organizationId: 1, name: 1 }, { name: 'counter', unique: true });
