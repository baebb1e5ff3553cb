import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';

/** The database did not respond in time; the request may be repeated. */
export class DatabaseUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('The database did not respond in time.', { cause });
  }
}

/** The error of a unique index, with the index's name. */
export interface DuplicateKey {
  readonly index: string;
}

/** The server's code for a violated unique index. */
const duplicateKeyCode = 11_000;

const interruptedCode = 11_601;

const writeConflictCode = 112;
const badValueCode = 2;

/** Codes that mean: this node cannot serve the operation now, another one or a later try can. */
const unavailableCodes: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: its server has been replaced or has ended it
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  writeConflictCode, // contention that outlasted the deadline
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet: right after an election
  175, // QueryPlanKilled
  189, // PrimarySteppedDown
  225, // TransactionTooOld: the session has gone on without it
  237, // CursorKilled
  246, // SnapshotUnavailable: a collection or index was just made
  251, // NoSuchTransaction
  262, // ExceededTimeLimit
  290, // TransactionExceededLifetimeLimitSeconds
  371, // UserWritesBlocked
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  interruptedCode, // a commit that ends so may have been stored
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  14_031, // OutOfDiskSpace
]);

/** The unique index that an error says is violated; undefined for every other error. */
export function duplicateKey(error: unknown): DuplicateKey | undefined {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKeyCode) return undefined;
  return { index: /index: (\S+)/.exec(error.message)?.[1] ?? '' };
}

/** One of several writes that the server refused, by its position among them. */
export interface RefusedWrite {
  readonly index: number;
  readonly code: number;
  readonly reason: string;
}

/**
 * Waits for writes in no order, of which the server may refuse some as they are.
 *
 * @returns those that it refused; the others were made
 * @throws every other error
 */
export async function refusedWrites(writes: Promise<unknown>): Promise<RefusedWrite[]> {
  try {
    await writes;
    return [];
  } catch (error) {
    const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (refused.length === 0) throw error;
    return refused.map(({ index, code, errmsg }) => ({
      index,
      code,
      reason: errmsg ?? 'unknown error',
    }));
  }
}

/**
 * Whether the server ended an operation because another process took its transaction for abandoned. It
 * says so without the label by which the driver runs a transaction again.
 */
export function isInterrupted(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === interruptedCode;
}

/** Whether an operation met a document that another open transaction has written. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === writeConflictCode;
}

/** Whether the error is the database's absence and not an error of the request or the program. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  if (!(error instanceof MongoError)) return isMongooseDisconnected(error);
  if (
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNetworkError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoWriteConcernError ||
    error.hasErrorLabel(MongoErrorLabel.TransientTransactionError) ||
    error.hasErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult)
  ) {
    return true;
  }
  if (error.name === 'MongoWaitQueueTimeoutError' || error.name === 'MongoPoolClearedError') {
    return true;
  }
  return typeof error.code === 'number' && unavailableCodes.has(error.code);
}

function isMongooseDisconnected(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'MongooseServerSelectionError' ||
      (error.name === 'MongooseError' && error.message.includes('initial connection')))
  );
}

/** Whether the server refuses an operation as it is, such as for a hint that names no index. */
export function isBadValue(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === badValueCode;
}

/** Whether the server cannot order documents, because one of them holds lists in two fields of the order. */
export function isUnsortable(error: unknown): boolean {
  return isBadValue(error) && (error as Error).message.includes('parallel arrays');
}
