import type { IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Model } from 'mongoose';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../configuration/environment.js';
import {
  type Retention,
  type RetentionIndexOptions,
  type RetentionState,
  keptSeconds,
  removedAfterSeconds,
} from './retention.js';

/** Takes a line that says how far long work has come. */
export type Report = (line: string) => void;

const intervalMs = 2_000;

/** Waits for work and, when it takes long, reports every two seconds how far it has come. */
export async function reportProgress<T>(
  work: Promise<T>,
  progress: () => Promise<string> | string,
  report: Report,
): Promise<T> {
  const timer = setInterval(() => void Promise.resolve(progress()).then(report), intervalMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** The server's code for a collection that is not there. */
const namespaceNotFound = 26;
/** The server's code for an index that is not there. */
const indexNotFound = 27;
/** The server's code for a change of what another process is changing. */
export const conflictingOperation = 117;

/** The server's code while an index of the collection is being built. */
const indexBuildRunning = 12_587;
const retryDelayMs = 250;

/** Does what the server refuses while another process builds an index of the collection, when that is over. */
export async function retryWhileIndexBuilds<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== indexBuildRunning) throw error;
    }
    await delay(retryDelayMs);
  }
}

/** Lets an error of the server with this code pass. */
export function ignoreErrorCode(expectedCode: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as { code?: unknown }).code !== expectedCode) throw error;
    return undefined;
  };
}

/**
 * The time that a request may take is not that of an index build. The driver knows the option for
 * each operation, though its types do not say so.
 */
const noTimeout: object = { socketTimeoutMS: 0 };

/** An index as the schema and the settings declare it. */
interface DeclaredIndex {
  readonly name: string;
  readonly retention: Retention | undefined;
  /** Null for one that would remove records which are kept for ever. */
  readonly description: IndexDescription | null;
}

type Difference = 'none' | 'time' | 'absent' | 'outdated';

/** An index that differs, and how. */
interface ComparedIndex extends DeclaredIndex {
  readonly difference: Difference;
}

/** The indexes that are missing or outdated, and whether records are kept as the settings say. */
export async function compareIndexes(model: Model<unknown>, environment: Environment) {
  const compared = await compare(model, environment);
  const collection = model.collection.collectionName;
  return {
    missing: compared.filter(({ difference, retention }) => difference !== 'none' && !retention),
    retention: compared.flatMap(({ retention, difference }): RetentionState[] => {
      if (retention === undefined) return [];
      const { kind, setting: variable } = retention;
      const isCurrent = difference === 'none';
      return [
        { kind, collection, variable, keptSeconds: keptSeconds(retention, environment), isCurrent },
      ];
    }),
  };
}

/** Creates or replaces what differs. */
export async function updateIndexes(
  model: Model<unknown>,
  environment: Environment,
  report: Report,
): Promise<void> {
  // Compared once: an index that another process creates meanwhile is not an outdated one.
  const missing: IndexDescription[] = [];
  for (const { name, description, difference } of await compare(model, environment)) {
    if (difference === 'none') continue;
    if (difference === 'time') {
      await changeTime(model, name, description?.expireAfterSeconds);
      continue;
    }
    if (difference === 'outdated') {
      await retryWhileIndexBuilds(() => model.collection.dropIndex(name)).catch(
        ignoreErrorCode(indexNotFound),
      );
    }
    if (description !== null) missing.push(description);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const isEmpty = (await model.estimatedDocumentCount()) === 0;
  await reportProgress(
    model.collection.createIndexes(missing, noTimeout),
    async () => `Building ${names} of ${model.collection.name}${await buildProgress(model)}`,
    isEmpty ? () => {} : report,
  );
}

/** Without building the index again. */
async function changeTime(model: Model<unknown>, name: string, expireAfterSeconds?: number) {
  const collMod = model.collection.collectionName;
  const index = { name, expireAfterSeconds };
  await retryWhileIndexBuilds(async () => model.db.db?.command({ collMod, index }));
}

async function compare(model: Model<unknown>, environment: Environment): Promise<ComparedIndex[]> {
  const stored = await storedIndexes(model);
  return declaredIndexes(model, environment).map((declared) => {
    const found = stored.find(({ name }) => name === declared.name);
    return { ...declared, difference: differenceOf(declared, found) };
  });
}

function declaredIndexes(model: Model<unknown>, environment: Environment): DeclaredIndex[] {
  return model.schema.indexes().map(([key, declared]) => {
    const { background: _background, retention, ...options } = declared as RetentionIndexOptions;
    const { name = '' } = options;
    const seconds = retention && removedAfterSeconds(retention, environment);
    const expiry = seconds === undefined ? {} : { expireAfterSeconds: seconds };
    const description = { key, ...options, ...expiry } as IndexDescription;
    return { name, retention, description: seconds === null ? null : description };
  });
}

function differenceOf(
  { description }: DeclaredIndex,
  stored: IndexDescriptionInfo | undefined,
): Difference {
  if (stored === undefined) return description === null ? 'none' : 'absent';
  if (description === null || !isSameIndex(stored, description)) return 'outdated';
  if (stored['expireAfterSeconds'] === description.expireAfterSeconds) return 'none';
  return description.expireAfterSeconds === undefined ? 'outdated' : 'time';
}

/** Whether an index differs in nothing but the time after which it removes documents. */
function isSameIndex(stored: IndexDescriptionInfo, declared: IndexDescription): boolean {
  const filter = declared.partialFilterExpression;
  return (
    isDeepStrictEqual(Object.entries(stored.key), Object.entries(declared.key)) &&
    (stored['unique'] ?? false) === (declared.unique ?? false) &&
    (stored['sparse'] ?? false) === (declared.sparse ?? false) &&
    isDeepStrictEqual(stored['partialFilterExpression'], filter) &&
    isSameCollation(stored['collation'], declared.collation)
  );
}

const simple = { locale: 'simple' };

/** The server adds the defaults of a collation; for the simple one it may list nothing. */
function isSameCollation(stored: object = simple, declared: object = simple): boolean {
  return isDeepStrictEqual({ ...stored, ...declared }, stored);
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

/** The indexes that are ready; one that is being built is listed in another form. */
async function storedIndexes(model: Model<unknown>): Promise<IndexDescriptionInfo[]> {
  const listIndexes = model.collection.collectionName;
  const reply = await model.db.db
    ?.command({ listIndexes, includeBuildUUIDs: true })
    .catch(ignoreErrorCode(namespaceNotFound));
  const { firstBatch = [] } = (reply?.['cursor'] ?? {}) as { firstBatch?: ListedIndex[] };
  return firstBatch.filter(({ buildUUID }) => buildUUID === undefined);
}

type ListedIndex = IndexDescriptionInfo & { readonly buildUUID?: unknown };
