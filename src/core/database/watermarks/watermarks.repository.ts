import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { WatermarkDocument } from './watermark.schema.js';

/** How far background passes have come, across restarts and instances. */
@Injectable()
export class WatermarksRepository {
  constructor(@InjectModel('Watermark') private readonly model: Model<WatermarkDocument>) {}

  /** Up to when the pass has processed everything; the epoch before its first run. */
  async read(name: string): Promise<Date> {
    return (await this.model.findOne({ name }).lean())?.seenUpTo ?? new Date(0);
  }

  /** Moves the watermark forward, never back. */
  async advance(name: string, seenUpTo: Date): Promise<void> {
    await this.model.updateOne({ name }, { $max: { seenUpTo } }, { upsert: true });
  }
}
