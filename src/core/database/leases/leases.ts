import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { Clock } from '../../configuration/clock.js';

/** Work that one process of all does at a time, and which one does it until when. */
@Schema({ collection: 'leases' })
export class LeaseDocument {
  declare _id: Types.ObjectId;

  @Prop({ required: true })
  name!: string;

  /** Null when nobody has it. */
  @Prop({ type: String })
  owner?: string | null;

  /** By the clock of the server. */
  @Prop({ type: Date })
  until?: Date | null;

  /** Up to when the work has been done. */
  @Prop({ type: Date })
  watermark?: Date | null;
}

export const leaseSchema = SchemaFactory.createForClass(LeaseDocument);

leaseSchema.index({ name: 1 }, { name: 'name', unique: true });

/** Work that one process of all does at a time. */
@Injectable()
export class Leases {
  constructor(
    @InjectModel('Lease') private readonly model: Model<LeaseDocument>,
    private readonly clock: Clock,
  ) {}

  /** @param durationMs how long the owner may be silent; it renews the lease after half of that */
  of(name: string, durationMs: number): Lease {
    return new Lease(this.model, this.clock, name, durationMs);
  }
}

/**
 * A lease on some work, with how far the work has come. The server's clock decides when a lease ends, so
 * that the clocks of the processes need not agree.
 *
 * A process that is stopped in the middle of the work may continue it beside the next owner for a
 * moment: the work has to allow that.
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

  /** Up to when the work is done, as far as this process knows; at first the epoch. */
  get watermark(): Date {
    return this.seenUpTo;
  }

  /** Whether this process has the lease, which it takes where it is free. Mostly costs no command. */
  async acquire(): Promise<boolean> {
    const now = this.clock.now().getTime();
    const passed = now - this.askedAt;
    // A clock that was put back does not say how much time has passed.
    if (passed >= 0 && passed < this.durationMs / 2) return this.isOwner;
    const stored = await this.take();
    this.isOwner = stored?.owner === this.owner;
    this.seenUpTo = stored?.watermark ?? new Date(0);
    this.askedAt = now;
    return this.isOwner;
  }

  /** Moves the watermark forward, never back, while the lease is this process's. */
  async advance(watermark: Date): Promise<void> {
    const { name, owner } = this;
    await this.model.updateOne({ name, owner }, { $max: { watermark } });
    if (watermark > this.seenUpTo) this.seenUpTo = watermark;
  }

  /** Lets another process have it at once. */
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
        // An absent time is lower than any.
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
