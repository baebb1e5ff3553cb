import type { IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Model } from 'mongoose';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../configuration/environment.js';
import type { Retention, RetentionIndexOptions } from '../documents/tenant-document.js';

export type ProgressReporter = (line: string) => void;

const intervalMs = 2_000;

export async function reportProgress<T>(
  work: Promise<T>,
  progress: () => string,
  report: ProgressReporter,
): Promise<T> {
  const timer = setInterval(() => report(progress()), intervalMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

const namespaceNotFoundCode = 26;
const indexNotFoundCode = 27;
/** The server returns this code when another process makes the same change. */
export const conflictingOperationInProgressCode = 117;
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

/** An index build may outlast the socket timeout. The driver accepts this option, but its types do not. */
const noTimeout: object = { socketTimeoutMS: 0 };

/** `time` means that only the duration of a TTL index differs. */
type Difference = 'none' | 'time' | 'absent' | 'outdated';

export async function compareIndexes(model: Model<unknown>, environment: Environment) {
  const stored = await storedIndexes(model);
  return model.schema.indexes().map(([key, declared]) => {
    const { background: _background, retention, ...options } = declared as RetentionIndexOptions;
    const { name = '' } = options;
    const seconds = retention && ttlSeconds(retention, environment);
    const expiry = seconds === undefined ? {} : { expireAfterSeconds: seconds };
    // Records that are kept forever have no TTL index.
    const description =
      seconds === null ? null : ({ key, ...options, ...expiry } as IndexDescription);
    const found = stored.find((index) => index.name === name);
    return { name, retention, description, difference: differenceOf(description, found) };
  });
}

export async function updateIndexes(
  model: Model<unknown>,
  environment: Environment,
  report: ProgressReporter,
): Promise<void> {
  const { collection, db } = model;
  // All indexes are compared at once: one that another process creates meanwhile must not count as outdated.
  const missing: IndexDescription[] = [];
  for (const { name, description, difference } of await compareIndexes(model, environment)) {
    if (difference === 'none') continue;
    if (difference === 'time') {
      const index = { name, expireAfterSeconds: description?.expireAfterSeconds };
      const change = { collMod: collection.collectionName, index };
      await retryWhileIndexBuilds(async () => db.db?.command(change));
      continue;
    }
    if (difference === 'outdated') {
      await retryWhileIndexBuilds(() => collection.dropIndex(name)).catch(
        ignoreErrorCode(indexNotFoundCode),
      );
    }
    if (description !== null) missing.push(description);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const isEmpty = (await model.estimatedDocumentCount()) === 0;
  await reportProgress(
    collection.createIndexes(missing, noTimeout),
    () => `Building ${names} of ${collection.name}`,
    isEmpty ? () => {} : report,
  );
}

function differenceOf(
  declared: IndexDescription | null,
  stored: IndexDescriptionInfo | undefined,
): Difference {
  if (stored === undefined) return declared === null ? 'none' : 'absent';
  if (declared === null || !isSameIndex(stored, declared)) return 'outdated';
  if (stored['expireAfterSeconds'] === declared.expireAfterSeconds) return 'none';
  return declared.expireAfterSeconds === undefined ? 'outdated' : 'time';
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

/** The server adds defaults to a collation, and may omit the simple one. */
function isSameCollation(stored: object = simple, declared: object = simple): boolean {
  return isDeepStrictEqual({ ...stored, ...declared }, stored);
}

/** The server cannot use an index that is still being built, so the list omits it. */
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

export function retentionSeconds(
  { setting, minimumDays = 0, extraDays = 0 }: Retention,
  environment: Environment,
): number | null {
  const value = environment[setting];
  if (value === undefined) return null;
  const seconds = value * (setting.endsWith('_HOURS') ? hourSeconds : daySeconds);
  return Math.max(seconds, minimumDays * daySeconds) + extraDays * daySeconds;
}

/** Returns null if records never expire. */
function ttlSeconds(retention: Retention, environment: Environment): number | null {
  const kept = retentionSeconds(retention, environment);
  if (kept === null) return null;
  return retention.storesRemoval ? 0 : kept + (retention.marginSeconds ?? 0);
}
