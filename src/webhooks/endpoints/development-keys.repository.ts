import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import type { DevelopmentKeyDocument } from './development-key.schema.js';

const name = 'encryption';

@Injectable()
export class DevelopmentKeysRepository {
  constructor(
    @InjectModel('DevelopmentKey') private readonly model: Model<DevelopmentKeyDocument>,
  ) {}

  /** The stored key in base64, null when there is none. */
  async find(): Promise<string | null> {
    const stored = await this.model.collection.findOne<DevelopmentKeyDocument>({ name });
    return stored?.key ?? null;
  }

  /** Stores a key unless there is one; of several processes the first one wins. */
  async insertIfMissing(key: string): Promise<void> {
    try {
      await this.model.collection.updateOne({ name }, { $setOnInsert: { key } }, { upsert: true });
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
    }
  }
}
