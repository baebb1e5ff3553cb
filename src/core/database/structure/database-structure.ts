import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { CollectionInfo } from 'mongodb';
import type { Connection, Model } from 'mongoose';
import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { StartupError } from '../../configuration/startup-errors.js';
import { documentValidator } from './validators.js';
import {
  type ProgressReporter,
  retryWhileIndexBuilds,
  compareIndexes,
  conflictingOperationInProgressCode,
  ignoreErrorCode,
  retentionSeconds,
  updateIndexes,
} from './indexes.js';
import { Migrations } from './migrations.js';

export type DatabaseStatus = Awaited<ReturnType<DatabaseStructure['status']>>;

type RetentionState = DatabaseStatus['retention'][number];

export type RecordUsage = Awaited<ReturnType<DatabaseStructure['usageOf']>>[number];

type StoredOptions = CollectionInfo['options'];

/** Documents that violated the validator before it existed can still be updated. */
const validationLevel = 'moderate';

const concurrency = 4;

@Injectable()
export class DatabaseStructure {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly migrations: Migrations,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Several processes may call it concurrently. Indexes of other programs stay. */
  async apply(report: ProgressReporter = () => {}): Promise<string[]> {
    const update = async (model: Model<unknown>, stored: StoredOptions) => {
      await updateCollection(model, stored);
      await updateIndexes(model, this.environment, report);
    };
    // announce() inserts into migrations, whose unique index must exist first.
    await this.forEachModel(update, ['Migration']);
    await this.migrations.announce();
    await this.forEachModel(update);
    return this.migrations.apply(report);
  }

  async status() {
    const states = await this.forEachModel(async (model, stored) => {
      const collection = model.collection.collectionName;
      const indexes = await compareIndexes(model, this.environment);
      const missing = indexes.filter((index) => index.difference !== 'none' && !index.retention);
      const state = {
        collection,
        exists: stored !== undefined,
        missingIndexes: missing.map(({ name }) => name),
        validatorIsCurrent: hasCurrentValidator(model, stored),
      };
      const retention = indexes.flatMap((index) => {
        if (index.retention === undefined) return [];
        const { kind, setting: variable } = index.retention;
        const seconds = retentionSeconds(index.retention, this.environment);
        const isCurrent = index.difference === 'none';
        return { kind, collection, variable, keptSeconds: seconds, isCurrent };
      });
      return { state, retention };
    });
    states.sort((a, b) => a.state.collection.localeCompare(b.state.collection));
    const collections = states.map(({ state }) => state);
    const { migrations, isOfNewerVersion } = await this.migrations.status();
    const hasAll =
      collections.every((state) => state.missingIndexes.length === 0 && state.validatorIsCurrent) &&
      migrations.every(({ state }) => state === 'done');
    return {
      // A newer version's structure is expected to differ.
      isComplete: isOfNewerVersion || hasAll,
      isOfNewerVersion,
      collections,
      migrations,
      // Retention affects only the size of the database, so differences do not prevent a start.
      retention: states.flatMap(({ retention }) => retention),
    };
  }

  /** The counts include unfinished records, too. */
  usageOf(states: readonly RetentionState[]) {
    const database = this.connection.getClient().db(this.connection.name);
    const usageOf = async (state: RetentionState) => {
      const collection = database.collection(state.collection);
      const [stats] = await collection
        .aggregate<{ storageStats: { count: number; totalSize: number } }>([
          { $collStats: { storageStats: {} } },
        ])
        .toArray()
        .catch(() => []);
      // The size on disk includes the indexes.
      const { count = 0, totalSize: bytes = 0 } = stats?.storageStats ?? {};
      const projection = { createdAt: 1 } as const;
      const first = await collection.findOne({}, { sort: { _id: 1 }, projection });
      // Usage statistics have no `createdAt`, but an ObjectId contains its time.
      const createdAt = first?.['createdAt'] as Date | undefined;
      const oldest: Date | null = createdAt ?? first?._id.getTimestamp() ?? null;
      return { ...state, count, bytes, oldest };
    };
    return Promise.all(states.map(usageOf));
  }

  /** @throws StartupError when something is missing */
  async assertComplete(warn: (line: string) => void): Promise<void> {
    const { isComplete, isOfNewerVersion, retention } = await this.status();
    if (!isComplete) {
      throw new StartupError(
        'Collections, indexes or migrations of this version are missing in the database: ' +
          'run `npm run cli -- db init` (`db status` lists them).',
      );
    }
    if (isOfNewerVersion) {
      warn('A newer version has prepared the database: `db status` lists the differences.');
    }
    for (const { kind, variable, isCurrent } of retention) {
      if (isCurrent) continue;
      warn(
        `${variable} does not apply yet to ${kind} in the database: run \`npm run cli -- db init\`.`,
      );
    }
  }

  private async forEachModel<T>(
    work: (model: Model<unknown>, stored: StoredOptions) => Promise<T>,
    names = this.connection.modelNames(),
  ): Promise<T[]> {
    // One command for all collections: with validators each response is large.
    const cursor = this.connection.db?.listCollections({}, { nameOnly: false });
    const collections = (await cursor?.toArray()) ?? [];
    const stored = new Map(collections.map(({ name, options }) => [name, options ?? {}]));
    const models = names.map((name) => this.connection.model<unknown>(name));
    return new PQueue({ concurrency }).addAll(
      models.map((model) => () => work(model, stored.get(model.collection.collectionName))),
    );
  }
}

async function updateCollection(model: Model<unknown>, stored: StoredOptions): Promise<void> {
  if (hasCurrentValidator(model, stored)) return;
  const options = { validator: documentValidator(model.schema), validationLevel };
  if (stored === undefined) {
    await model.createCollection(options);
    return;
  }
  const collMod = model.collection.collectionName;
  const change = async () => model.db.db?.command({ collMod, ...options });
  await retryWhileIndexBuilds(change).catch(ignoreErrorCode(conflictingOperationInProgressCode));
}

function hasCurrentValidator(model: Model<unknown>, stored: StoredOptions): boolean {
  return (
    stored?.validationLevel === validationLevel &&
    isDeepStrictEqual(stored.validator, documentValidator(model.schema))
  );
}
