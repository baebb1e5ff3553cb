import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { DutyDocument } from './duty.schema.js';

/** Who has a duty, and how often that was confirmed. */
export type DutyState = Pick<DutyDocument, 'owner' | 'beats'>;

/** Who does what one process does at a time. */
@Injectable()
export class DutiesRepository {
  constructor(@InjectModel('Duty') private readonly model: Model<DutyDocument>) {}

  /** The state of a duty; nobody has one that was never taken. */
  async read(name: string): Promise<DutyState> {
    const stored = await this.model.findOne({ name }).lean();
    if (stored !== null) return { owner: stored.owner ?? null, beats: stored.beats };
    const free: DutyState = { owner: null, beats: 0 };
    await this.model.updateOne({ name }, { $setOnInsert: free }, { upsert: true });
    return free;
  }

  /**
   * Gives a duty to an owner, or confirms that it goes on, unless its state is another one by now.
   *
   * @returns the new state; null when another process was quicker
   */
  async take(name: string, { owner, beats }: DutyState, by: string): Promise<DutyState | null> {
    const next: DutyState = { owner: by, beats: beats + 1 };
    const result = await this.model.updateOne({ name, owner, beats }, { $set: next });
    return result.modifiedCount > 0 ? next : null;
  }

  /** Lets any process have the duty, if it is still the owner's. */
  async release(name: string, owner: string): Promise<void> {
    await this.model.updateOne({ name, owner }, { $set: { owner: null }, $inc: { beats: 1 } });
  }
}
