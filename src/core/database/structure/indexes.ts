import type { IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Model } from 'mongoose';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../configuration/environment.js';
import type { Retention, RetentionIndexOptions } from '../documents/tenant-document.js';

export interface RetentionState {
  readonly kind: string;
  readonly collection: string;
  readonly variable: string;
  /** Null for forever. */
  readonly keptSeconds: number | null;
  readonly isCurrent: boolean;
}

export type Report = (line: string) => void;

const intervalMs = 2_000;

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

const namespaceNotFoundCode = 26;
const indexNotFoundCode = 27;
/** The server's code when another process makes the same change. */
export const conflictingOperationCode = 117;
/** An index of the collection is being built. */
const backgroundOperationCode = 12_587;
const retryDelayMs = 250;

export async function retryWhileIndexBuilds<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== backgroundOperationCode) throw error;
    }
    await delay(retryDelayMs);
  }
}

export function ignoreErrorCode(expectedCode: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as { code?: unknown }).code !== expectedCode) throw error;
    return undefined;
  };
}

/** An index build may take longer than a request. The driver accepts the option, its types do not. */
const noTimeout: object = { socketTimeoutMS: 0 };

interface DeclaredIndex {
  readonly name: string;
  readonly retention: Retention | undefined;
  /** Null for a TTL index on records that are kept forever. */
  readonly description: IndexDescription | null;
}

type Difference = 'none' | 'time' | 'absent' | 'outdated';

interface ComparedIndex extends DeclaredIndex {
  readonly difference: Difference;
}

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

export async function updateIndexes(
  model: Model<unknown>,
  environment: Environment,
  report: Report,
): Promise<void> {
  // Compared once: an index that another process creates in the meantime is not outdated.
  const missing: IndexDescription[] = [];
  for (const { name, description, difference } of await compare(model, environment)) {
    if (difference === 'none') continue;
    if (difference === 'time') {
      await changeTime(model, name, description?.expireAfterSeconds);
      continue;
    }
    if (difference === 'outdated') {
      await retryWhileIndexBuilds(() => model.collection.dropIndex(name)).catch(
        ignoreErrorCode(indexNotFoundCode),
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
    const seconds = retention && ttlSeconds(retention, environment);
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

/** The server adds defaults to a collation, and may list none for the simple one. */
function isSameCollation(stored: object = simple, declared: object = simple): boolean {
  return isDeepStrictEqual({ ...stored, ...declared }, stored);
}

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
    return '';
  }
}

interface BuildOperation {
  readonly progress: { readonly done: number; readonly total: number };
}

/** Leaves out the indexes that are being built. */
async function storedIndexes(model: Model<unknown>): Promise<IndexDescriptionInfo[]> {
  const listIndexes = model.collection.collectionName;
  const reply = await model.db.db
    ?.command({ listIndexes, includeBuildUUIDs: true })
    .catch(ignoreErrorCode(namespaceNotFoundCode));
  const { firstBatch = [] } = (reply?.['cursor'] ?? {}) as { firstBatch?: ListedIndex[] };
  return firstBatch.filter(({ buildUUID }) => buildUUID === undefined);
}

type ListedIndex = IndexDescriptionInfo & { readonly buildUUID?: unknown };

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

function keptSeconds(
  { setting, minimumDays = 0, extraDays = 0 }: Retention,
  environment: Environment,
): number | null {
  const value = environment[setting];
  if (value === undefined) return null;
  const seconds = value * (setting.endsWith('_HOURS') ? hourSeconds : daySeconds);
  return Math.max(seconds, minimumDays * daySeconds) + extraDays * daySeconds;
}

/** Seconds from the time in the index to the removal; null for never. */
function ttlSeconds(retention: Retention, environment: Environment): number | null {
  const kept = keptSeconds(retention, environment);
  if (kept === null) return null;
  return retention.storesRemoval ? 0 : kept + (retention.marginSeconds ?? 0);
}
