import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { CollectionInfo, Document } from 'mongodb';
import type { Connection, Model, Schema } from 'mongoose';
import { isDeepStrictEqual } from 'node:util';
import { from, lastValueFrom, mergeMap, toArray } from 'rxjs';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { StartupError } from '../../configuration/startup-errors.js';
import {
  type Report,
  retryWhileIndexBuilds,
  compareIndexes,
  conflictingOperation,
  ignoreErrorCode,
  updateIndexes,
} from './indexes.js';
import { type MigrationState, Migrations } from './migrations.js';
import type { RetentionState } from './retention.js';

/**
 * The `$jsonSchema` validator of a collection: the types of the fields that are present, any
 * numeric type for a number, null for what is not required; everything else is allowed, because
 * other programs store fields of their own in the same documents (rule DATA-2).
 */
export function documentValidator(schema: Schema): Document {
  const generated = schema.toJSONSchema({ useBsonType: true }) as Document;
  const properties = generated['properties'] as Document;
  for (const [path, { options }] of Object.entries(schema.paths)) {
    // A free-form field has no type of its own for mongoose; `bsonType` in its options gives it one.
    const { bsonType } = options as { bsonType?: string };
    if (bsonType !== undefined) properties[path] = { bsonType: [bsonType, 'null'] };
  }
  // Without lists of allowed values: the contract is about types, values belong to the programs. Sorted,
  // because the order of required fields means nothing where two validators are compared.
  const text = JSON.stringify(generated, (key, value: unknown) => {
    if (key === 'enum') return undefined;
    return key === 'required' && Array.isArray(value) ? (value as string[]).toSorted() : value;
  });
  return { $jsonSchema: { bsonType: 'object', ...(JSON.parse(text) as Document) } };
}

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
  /** What differs here is no reason not to start: nothing depends on it but the size of the database. */
  readonly retention: readonly RetentionState[];
}

/** The options of a stored collection; undefined when there is none. */
type StoredOptions = CollectionInfo['options'];

/** A document that broke the rules before them may be changed; a new or a valid one is checked. */
const validationLevel = 'moderate';

/** How many collections are compared at the same time. */
const concurrency = 4;

/** Collections, indexes and validators as the schemas declare them (rules DATA-2 and DATA-5). */
@Injectable()
export class DatabaseStructure {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly migrations: Migrations,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
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
      await updateIndexes(model, this.environment, report);
    };
    // Its unique index keeps the announcements of two processes apart.
    await this.forEachModel(update, ['Migration']);
    await this.migrations.announce();
    await this.forEachModel(update);
    return this.migrations.apply(report);
  }

  /** What is there and what is missing. */
  async status(): Promise<DatabaseStatus> {
    const states = await this.forEachModel(async (model, stored) => {
      const { missing, retention } = await compareIndexes(model, this.environment);
      const missingIndexes = missing.map(({ name }) => name);
      return { state: stateOf(model, stored, missingIndexes), retention };
    });
    states.sort((a, b) => a.state.collection.localeCompare(b.state.collection));
    const collections = states.map(({ state }) => state);
    const { migrations, isOfNewerVersion } = await this.migrations.status();
    const lacksNothing =
      collections.every((state) => state.missingIndexes.length === 0 && state.validatorIsCurrent) &&
      migrations.every(({ state }) => state === 'done');
    return {
      isComplete: isOfNewerVersion || lacksNothing,
      isOfNewerVersion,
      collections,
      migrations,
      retention: states.flatMap(({ retention }) => retention),
    };
  }

  /**
   * For a start in production, which changes nothing.
   *
   * @param warn takes what an operator should know
   * @throws StartupError when something is missing
   */
  async assertComplete(warn: (line: string) => void): Promise<void> {
    const { isComplete, isOfNewerVersion, retention } = await this.status();
    if (!isComplete) {
      throw new StartupError(
        'The database lacks collections, indexes or migrations of this version: ' +
          'run `npm run cli -- db init` (`db status` lists them).',
      );
    }
    if (isOfNewerVersion) {
      warn('A newer version has prepared the database: `db status` lists what it has replaced.');
    }
    for (const { kind, variable, isCurrent } of retention) {
      if (isCurrent) continue;
      warn(
        `The database does not keep ${kind} as ${variable} says: run \`npm run cli -- db init\`.`,
      );
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

function stateOf(
  model: Model<unknown>,
  stored: StoredOptions,
  missingIndexes: readonly string[],
): CollectionState {
  return {
    collection: model.collection.collectionName,
    exists: stored !== undefined,
    missingIndexes,
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
  await retryWhileIndexBuilds(change).catch(ignoreErrorCode(conflictingOperation));
}

function hasCurrentValidator(model: Model<unknown>, stored: StoredOptions): boolean {
  return (
    stored?.validationLevel === validationLevel &&
    isDeepStrictEqual(stored.validator, documentValidator(model.schema))
  );
}
