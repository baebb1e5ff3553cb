import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Collection, IndexDescriptionInfo } from 'mongodb';
import type { Connection } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import {
  betweenIndexBuilds,
  dropIndexOf,
  namespaceNotFound,
  unless,
} from '../structure/server-codes.js';
import { keptRecords, type KeptRecords } from './kept-records.js';

/** How long a kind of record is to be kept, and how long the database keeps it. */
export interface RetentionState {
  readonly kind: string;
  readonly collection: string;
  readonly variable: string;
  /** In seconds, null for ever. */
  readonly keptSeconds: number | null;
  readonly isCurrent: boolean;
}

/** What there is of a kind of record, what is not done with included. */
export interface RecordUsage extends RetentionState {
  readonly count: number;
  /** On disk, with the indexes. */
  readonly bytes: number;
  /** When the oldest one was stored, null where there is none. */
  readonly oldest: Date | null;
}

/** Keeps each kind of record as long as the configuration says, by TTL indexes (rule DATA-11). */
@Injectable()
export class Retention {
  private readonly kept: readonly KeptRecords[];

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.kept = keptRecords(environment);
  }

  /** Makes, changes or drops the indexes as the configuration says; safe to repeat. */
  async apply(): Promise<void> {
    await Promise.all(this.kept.map((kept) => this.applyTo(kept)));
  }

  /** Of each kind, whether the database does what the configuration says. */
  async states(): Promise<RetentionState[]> {
    return Promise.all(this.kept.map(async (kept) => stateOf(kept, await this.indexOf(kept))));
  }

  /** The database goes on with what it was told last; nothing depends on that but its size. */
  async warnOfOthers(warn: (line: string) => void): Promise<void> {
    for (const { kind, variable, isCurrent } of await this.states()) {
      if (isCurrent) continue;
      warn(
        `The database does not keep ${kind} as ${variable} says: run \`npm run cli -- db init\`.`,
      );
    }
  }

  /** As {@link states}, and what there is of each kind. */
  async usage(): Promise<RecordUsage[]> {
    const states = await this.states();
    return Promise.all(states.map(async (state) => ({ ...state, ...(await this.usageOf(state)) })));
  }

  private async applyTo(kept: KeptRecords): Promise<void> {
    const stored = await this.indexOf(kept);
    const { index, removedAfterSeconds: expireAfterSeconds } = kept;
    if (stateOf(kept, stored).isCurrent) return;
    const collection = this.collection(kept);
    if (stored !== undefined && expireAfterSeconds !== null && isSameIndex(stored, kept)) {
      const change = { index: { name: index.name, expireAfterSeconds } };
      await betweenIndexBuilds(async () =>
        this.connection.db?.command({ collMod: kept.collection, ...change }),
      );
      return;
    }
    if (stored !== undefined) {
      await dropIndexOf(collection, index.name);
    }
    if (expireAfterSeconds === null) return;
    // The time that a request may take is not that of an index build.
    const noTimeout: object = { socketTimeoutMS: 0 };
    await collection.createIndexes([{ ...index, expireAfterSeconds }], noTimeout);
  }

  private async indexOf(kept: KeptRecords): Promise<IndexDescriptionInfo | undefined> {
    const indexes = await this.collection(kept).indexes().catch(unless(namespaceNotFound));
    return indexes?.find(({ name }) => name === kept.index.name);
  }

  private async usageOf(state: RetentionState) {
    const collection = this.collection(state);
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

  private collection({ collection }: { readonly collection: string }): Collection {
    return this.connection.getClient().db(this.connection.name).collection(collection);
  }
}

function stateOf(kept: KeptRecords, stored: IndexDescriptionInfo | undefined): RetentionState {
  const { kind, collection, variable, keptSeconds, removedAfterSeconds } = kept;
  const isCurrent =
    stored === undefined
      ? removedAfterSeconds === null
      : isSameIndex(stored, kept) && stored['expireAfterSeconds'] === removedAfterSeconds;
  return { kind, collection, variable, keptSeconds, isCurrent };
}

/** Whether an index differs in nothing but the time. */
function isSameIndex(stored: IndexDescriptionInfo, { index }: KeptRecords): boolean {
  return (
    isDeepStrictEqual(stored.key, index.key) &&
    isDeepStrictEqual(stored['partialFilterExpression'], index.partialFilterExpression)
  );
}
