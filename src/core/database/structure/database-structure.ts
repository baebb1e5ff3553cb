import { Injectable } from '@nestjs/common';
import { StartupError } from '../../configuration/startup-errors.js';
import { InjectConnection } from '@nestjs/mongoose';
import type { CollectionInfo, IndexDescription } from 'mongodb';
import type { Connection, IndexDefinition, IndexOptions, Model } from 'mongoose';
import { from, lastValueFrom, mergeMap, toArray } from 'rxjs';
import { Retention } from '../retention/retention.js';
import { documentValidator, isSameValidator } from './document-validator.js';
import { Migrations, type MigrationState } from './migrations.js';
import { type Report, withReports } from './reports.js';
import {
  betweenIndexBuilds,
  conflictingOperation,
  dropIndexOf,
  namespaceNotFound,
  unless,
} from './server-codes.js';

/** A collection, and what it lacks of what its schema declares. */
export interface CollectionState {
  readonly collection: string;
  readonly exists: boolean;
  readonly missingIndexes: readonly string[];
  readonly validatorIsCurrent: boolean;
}

/** What the database has and lacks of what this version of the service relies on. */
export interface DatabaseStatus {
  readonly isComplete: boolean;
  /** What a newer version has prepared is complete: whatever differs from this version, it has replaced. */
  readonly isOfNewerVersion: boolean;
  readonly collections: readonly CollectionState[];
  readonly migrations: readonly MigrationState[];
}

/** The options of a stored collection; undefined when there is none. */
type StoredOptions = CollectionInfo['options'];

/** A document that broke the rules before them may be changed; a new or a valid one is checked. */
const validationLevel = 'moderate';

/**
 * The time that a request may take is not that of an index build. The driver knows the option for
 * each operation, though its types do not say so.
 */
const noTimeout: object = { socketTimeoutMS: 0 };

/** How many collections are compared at the same time. */
const concurrency = 4;

/** Collections, indexes and validators as the schemas declare them (rules DATA-2 and DATA-5). */
@Injectable()
export class DatabaseStructure {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly migrations: Migrations,
    private readonly retention: Retention,
  ) {}

  /**
   * Creates or updates whatever differs and applies the pending migrations; safe to repeat and to
   * run in several processes at the same time: an index that another one builds is waited for.
   * Indexes of other programs are not touched.
   *
   * @param report takes lines about what takes long
   * @returns the names of the migrations that ran
   */
  async apply(report: Report = () => {}): Promise<string[]> {
    const update = async (model: Model<unknown>, stored: StoredOptions) => {
      await updateCollection(model, stored);
      await updateIndexes(model, report);
    };
    // Its unique index keeps the announcements of two processes apart.
    await this.forEachModel(update, ['Migration']);
    await this.migrations.announce();
    await this.forEachModel(update);
    await this.retention.apply();
    return this.migrations.apply(report);
  }

  /** What is there and what is missing. */
  async status(): Promise<DatabaseStatus> {
    const states = await this.forEachModel(stateOf);
    const collections = states.toSorted((a, b) => a.collection.localeCompare(b.collection));
    const { migrations, isOfNewerVersion } = await this.migrations.status();
    const lacksNothing =
      collections.every((state) => state.missingIndexes.length === 0 && state.validatorIsCurrent) &&
      migrations.every(({ state }) => state === 'done');
    return {
      isComplete: isOfNewerVersion || lacksNothing,
      isOfNewerVersion,
      collections,
      migrations,
    };
  }

  /**
   * For a start in production, which changes nothing.
   *
   * @param warn told when a newer version has prepared the database
   * @throws StartupError when something is missing
   */
  async assertComplete(warn: (line: string) => void): Promise<void> {
    const { isComplete, isOfNewerVersion } = await this.status();
    if (!isComplete) {
      throw new StartupError(
        'The database lacks collections, indexes or migrations of this version: ' +
          'run `npm run cli -- db init` (`db status` lists them).',
      );
    }
    if (isOfNewerVersion) {
      warn('A newer version has prepared the database: `db status` lists what it has replaced.');
    }
  }

  private async forEachModel<T>(
    work: (model: Model<unknown>, stored: StoredOptions) => Promise<T>,
    names = this.connection.modelNames(),
  ): Promise<T[]> {
    // One command for all: the validators make each of its responses large.
    const cursor = this.connection.db?.listCollections({}, { nameOnly: false });
    const collections = (await cursor?.toArray()) ?? [];
    const stored = new Map(collections.map(({ name, options }) => [name, options ?? {}]));
    const models = from(names.map((name) => this.connection.model<unknown>(name)));
    const workOn = (model: Model<unknown>) =>
      work(model, stored.get(model.collection.collectionName));
    return lastValueFrom(models.pipe(mergeMap(workOn, concurrency), toArray()));
  }
}

async function stateOf(model: Model<unknown>, stored: StoredOptions): Promise<CollectionState> {
  const { missing } = await compareIndexes(model);
  return {
    collection: model.collection.collectionName,
    exists: stored !== undefined,
    missingIndexes: missing.map(({ name = '' }) => name),
    validatorIsCurrent: hasCurrentValidator(model, stored),
  };
}

async function updateCollection(model: Model<unknown>, stored: StoredOptions): Promise<void> {
  if (hasCurrentValidator(model, stored)) return;
  const options = { validator: documentValidator(model.schema), validationLevel };
  if (stored === undefined) {
    await model.createCollection(options);
    return;
  }
  const collMod = model.collection.collectionName;
  // Another process may be setting the same validator.
  const change = async () => model.db.db?.command({ collMod, ...options });
  await betweenIndexBuilds(change).catch(unless(conflictingOperation));
}

async function updateIndexes(model: Model<unknown>, report: Report): Promise<void> {
  // Compared once: an index that another process creates meanwhile is not an outdated one.
  const { missing, outdated } = await compareIndexes(model);
  for (const name of outdated) {
    await dropIndexOf(model.collection, name);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const isEmpty = (await model.estimatedDocumentCount()) === 0;
  await withReports(
    model.collection.createIndexes(missing, noTimeout),
    async () => `Building ${names} of ${model.collection.name}${await buildProgress(model)}`,
    isEmpty ? () => {} : report,
  );
}

/** How far the server says that it has come with the indexes of a collection. */
async function buildProgress(model: Model<unknown>): Promise<string> {
  try {
    const $match = {
      'command.createIndexes': model.collection.collectionName,
      'command.$db': model.db.name,
      'progress.total': { $gt: 0 },
    };
    const operations = model.db
      .getClient()
      .db('admin')
      .aggregate<BuildOperation>([{ $currentOp: { allUsers: true } }, { $match }]);
    const { done, total } = (await operations.next())?.progress ?? { done: 0, total: 0 };
    return total === 0 ? '' : `: ${Math.floor((100 * done) / total)} %`;
  } catch {
    // Not every user may see what the server is doing.
    return '';
  }
}

interface BuildOperation {
  readonly progress: { readonly done: number; readonly total: number };
}

/** The names of the indexes that are listed already and are still being built. */
async function unfinishedIndexes(model: Model<unknown>): Promise<string[]> {
  const listIndexes = model.collection.collectionName;
  const reply = await model.db.db
    ?.command({ listIndexes, includeBuildUUIDs: true })
    .catch(unless(namespaceNotFound));
  const { firstBatch = [] } = (reply?.['cursor'] ?? {}) as { firstBatch?: ListedIndex[] };
  return firstBatch.flatMap(({ buildUUID, spec }) => (buildUUID && spec ? [spec.name] : []));
}

/** As it is listed while it is being built; an index that is ready has its fields here. */
interface ListedIndex {
  readonly buildUUID?: unknown;
  readonly spec?: { readonly name: string };
}

async function compareIndexes(model: Model<unknown>) {
  const { toCreate, toDrop } = await model.diffIndexes({ indexOptionsToCreate: true });
  const unfinished = await unfinishedIndexes(model);
  const building = model.schema.indexes().filter(([, { name = '' }]) => unfinished.includes(name));
  const missing = [...(toCreate as [IndexDefinition, IndexOptions][]), ...building].map(
    ([key, { background: _background, ...options }]) => ({ key, ...options }) as IndexDescription,
  );
  // To mongoose an index of another program is one to drop, too.
  const outdated = missing.flatMap(({ name }) => (name && toDrop.includes(name) ? [name] : []));
  return { missing, outdated };
}

function hasCurrentValidator(model: Model<unknown>, stored: StoredOptions): boolean {
  return (
    stored?.validationLevel === validationLevel &&
    isSameValidator(stored.validator, documentValidator(model.schema))
  );
}
