import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { RetentionState } from './retention.js';

/** The records of a kind in the database, unfinished ones included. */
export interface RecordUsage extends RetentionState {
  readonly count: number;
  /** On disk, with the indexes. */
  readonly bytes: number;
  /** When the oldest one was stored, null where there is none. */
  readonly oldest: Date | null;
}

/** Measures the records that are removed some time after they are finished. */
@Injectable()
export class RecordUsages {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Adds the usage to each state. */
  async of(states: readonly RetentionState[]): Promise<RecordUsage[]> {
    return Promise.all(states.map(async (state) => ({ ...state, ...(await this.usageOf(state)) })));
  }

  private async usageOf({ collection: name }: RetentionState) {
    const collection = this.connection.getClient().db(this.connection.name).collection(name);
    const [stats] = await collection
      .aggregate<{ storageStats: { count: number; totalSize: number } }>([
        { $collStats: { storageStats: {} } },
      ])
      .toArray()
      .catch(() => []);
    const { count = 0, totalSize: bytes = 0 } = stats?.storageStats ?? {};
    // An id begins with the time at which it was made.
    const oldest = await collection.findOne({}, { sort: { _id: 1 }, projection: { createdAt: 1 } });
    const createdAt = oldest?.['createdAt'] as Date | undefined;
    // Figures have no such field.
    return { count, bytes, oldest: createdAt ?? oldest?._id.getTimestamp() ?? null };
  }
}
