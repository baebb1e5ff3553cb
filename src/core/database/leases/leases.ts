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

  @Prop({ type: String })
  owner?: string | null;

  @Prop({ type: Date })
  until?: Date | null;

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

  /** @param durationMs lifetime of a lease that its owner does not renew; owners renew after half of it */
  create(name: string, durationMs: number): Lease {
    return new Lease(this.model, this.clock, name, durationMs);
  }
}

/** A lease expires by the server's clock. A stopped process may briefly overlap with the next owner. */
export class Lease {
  private readonly owner = randomUUID();
  private isOwner = false;
  private requestedAt = Number.NEGATIVE_INFINITY;
  private knownWatermark = new Date(0);

  constructor(
    private readonly model: Model<LeaseDocument>,
    private readonly clock: Clock,
    private readonly name: string,
    private readonly durationMs: number,
  ) {}

  /** The newest value that this process knows; 1970 before the first read. */
  get watermark(): Date {
    return this.knownWatermark;
  }

  /** Takes a free lease and returns whether this process holds it; most calls send no command. */
  async acquire(): Promise<boolean> {
    const now = this.clock.now().getTime();
    const passed = now - this.requestedAt;
    // After a clock was set back the elapsed time is unknown.
    if (passed >= 0 && passed < this.durationMs / 2) return this.isOwner;
    const stored = await this.tryToTake();
    this.isOwner = stored?.owner === this.owner;
    this.knownWatermark = stored?.watermark ?? new Date(0);
    this.requestedAt = now;
    return this.isOwner;
  }

  async advance(watermark: Date): Promise<void> {
    const { name, owner } = this;
    await this.model.updateOne({ name, owner }, { $max: { watermark } });
    if (watermark > this.knownWatermark) this.knownWatermark = watermark;
  }

  async release(): Promise<void> {
    if (!this.isOwner) return;
    this.isOwner = false;
    this.requestedAt = Number.NEGATIVE_INFINITY;
    const { name, owner } = this;
    await this.model.updateOne({ name, owner }, { $set: { owner: null } });
  }

  private tryToTake(): Promise<Pick<LeaseDocument, 'owner' | 'watermark'> | null> {
    const { name, owner } = this;
    const isFree = {
      $or: [{ $in: ['$owner', [owner, null]] }, { $lte: ['$until', '$$NOW'] }],
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
