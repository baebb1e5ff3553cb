import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
  type WriteError,
} from 'mongodb';

export class DatabaseUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('The database did not respond in time.', { cause });
  }
}

const badValueCode = 2;
const writeConflictCode = 112;
const duplicateKeyCode = 11_000;
const interruptedCode = 11_601;

const unavailableCodes: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: its server has been replaced or has ended it
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  94, // NotYetInitialized
  writeConflictCode, // contention that outlasted the deadline
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet: right after an election
  175, // QueryPlanKilled
  189, // PrimarySteppedDown
  211, // KeyNotFound: the keys of the cluster time are not loaded right after a restart
  225, // TransactionTooOld: the session has started a newer transaction
  237, // CursorKilled
  246, // SnapshotUnavailable: a collection or index was just created
  251, // NoSuchTransaction
  262, // ExceededTimeLimit
  290, // TransactionExceededLifetimeLimitSeconds
  371, // UserWritesBlocked
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  interruptedCode, // Interrupted: the commit may have been stored
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  14_031, // OutOfDiskSpace
]);

const unavailableTypes = [
  MongoServerSelectionError,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoWriteConcernError,
];
/** The driver does not export these classes. */
const unavailableNames = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClearedError']);

export function duplicateKey(error: unknown): { readonly index: string } | undefined {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKeyCode) return undefined;
  return { index: /index: (\S+)/.exec(error.message)?.[1] ?? '' };
}

/** Returns the refused writes of an unordered bulk write; the others were stored. */
export async function refusedWrites(writes: Promise<unknown>): Promise<readonly WriteError[]> {
  try {
    await writes;
    return [];
  } catch (error) {
    const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (refused.length === 0) throw error;
    return refused;
  }
}

/** Another process has aborted the transaction as orphaned. The driver does not retry it: the error has no label. */
export function isInterrupted(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === interruptedCode;
}

export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === writeConflictCode;
}

/** Returns true if a later attempt may succeed: the request then gets 503 instead of 500. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  if (!(error instanceof MongoError)) return isMongooseDisconnected(error);
  if (error instanceof MongoBulkWriteError && failureOf(error) instanceof Error) {
    return isDatabaseUnavailable(failureOf(error));
  }
  return (
    unavailableTypes.some((type) => error instanceof type) ||
    unavailableNames.has(error.name) ||
    error.hasErrorLabel(MongoErrorLabel.TransientTransactionError) ||
    error.hasErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult) ||
    unavailableCodes.has(Number(error.code))
  );
}

/** In a bulk write, the driver also wraps network and server selection errors. */
const failureOf = ({ errorResponse }: MongoBulkWriteError): unknown => errorResponse;

function isMongooseDisconnected(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'MongooseServerSelectionError' ||
      (error.name === 'MongooseError' && error.message.includes('initial connection')))
  );
}

export function isBadValue(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === badValueCode;
}

/** The server cannot sort a document that has lists in two fields of the order. */
export function isUnsortable(error: unknown): boolean {
  return isBadValue(error) && (error as Error).message.includes('parallel arrays');
}

/** @throws DatabaseUnavailableError after this time; the work itself continues */
export async function withinDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailableError()), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
