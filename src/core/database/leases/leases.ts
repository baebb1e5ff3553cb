import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { Clock } from '../../configuration/clock.js';

@Schema({ collection: 'leases' })
export class LeaseDocument {
  declare _id: Types.ObjectId;

  @Prop({ required: true })
  name!: string;

  /** Null while no process holds the lease. */
  @Prop({ type: String })
  owner?: string | null;

  /** By the server's clock. */
  @Prop({ type: Date })
  until?: Date | null;

  /** The work is done up to this time. */
  @Prop({ type: Date })
  watermark?: Date | null;
}

export const leaseSchema = SchemaFactory.createForClass(LeaseDocument);

leaseSchema.index({ name: 1 }, { name: 'name', unique: true });

@Injectable()
export class Leases {
  constructor(
    @InjectModel('Lease') private readonly model: Model<LeaseDocument>,
    private readonly clock: Clock,
  ) {}

  /** @param durationMs after which the lease of a silent owner ends; it renews after half of that */
  of(name: string, durationMs: number): Lease {
    return new Lease(this.model, this.clock, name, durationMs);
  }
}

/**
 * Makes one process at a time do some work, with a watermark of its progress. The server's clock ends a
 * lease, so that the clocks of processes may differ. A process that was stopped may overlap with the next
 * owner for a moment; the work has to allow that.
 */
export class Lease {
  private readonly owner = randomUUID();
  private isOwner = false;
  private askedAt = Number.NEGATIVE_INFINITY;
  private seenUpTo = new Date(0);

  constructor(
    private readonly model: Model<LeaseDocument>,
    private readonly clock: Clock,
    private readonly name: string,
    private readonly durationMs: number,
  ) {}

  /** As far as this process knows; at first the epoch. */
  get watermark(): Date {
    return this.seenUpTo;
  }

  /** Takes a free lease and returns whether this process holds it; mostly costs no command. */
  async acquire(): Promise<boolean> {
    const now = this.clock.now().getTime();
    const passed = now - this.askedAt;
    // After a clock was set back the elapsed time is unknown.
    if (passed >= 0 && passed < this.durationMs / 2) return this.isOwner;
    const stored = await this.take();
    this.isOwner = stored?.owner === this.owner;
    this.seenUpTo = stored?.watermark ?? new Date(0);
    this.askedAt = now;
    return this.isOwner;
  }

  /** Moves the watermark forward, never back, while this process holds the lease. */
  async advance(watermark: Date): Promise<void> {
    const { name, owner } = this;
    await this.model.updateOne({ name, owner }, { $max: { watermark } });
    if (watermark > this.seenUpTo) this.seenUpTo = watermark;
  }

  /** Another process may take the lease immediately. */
  async release(): Promise<void> {
    if (!this.isOwner) return;
    this.isOwner = false;
    this.askedAt = Number.NEGATIVE_INFINITY;
    const { name, owner } = this;
    await this.model.updateOne({ name, owner }, { $set: { owner: null } });
  }

  private take(): Promise<Pick<LeaseDocument, 'owner' | 'watermark'> | null> {
    const { name, owner } = this;
    const isFree = {
      $or: [
        { $in: ['$owner', [owner, null]] },
        // A missing time is lower than any.
        { $lte: ['$until', '$$NOW'] },
      ],
    };
    const $set = {
      owner: { $cond: [isFree, owner, '$owner'] },
      until: { $cond: [isFree, { $add: ['$$NOW', this.durationMs] }, '$until'] },
    };
    return this.model.findOneAndUpdate({ name }, [{ $set }], {
      upsert: true,
      returnDocument: 'after',
      lean: true,
      updatePipeline: true,
    });
  }
}
