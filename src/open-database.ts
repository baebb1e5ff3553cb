import type { Environment } from './core/configuration/environment.js';
import { StartupError } from './core/configuration/startup-errors.js';
import { isDatabaseUnavailable } from './core/database/connection/database-errors.js';
import { topologyFault } from './core/database/connection/topology.js';

/** The database that the service works on. */
export interface OpenDatabase {
  readonly uri: string;
  /** Where the data is, without credentials. */
  readonly description: string;
  /** Stops it when it is embedded and was started by this process. */
  stop(): Promise<void>;
}

const databaseName = 'integration';
const authenticationFailed = 18;

/**
 * The database at MONGODB_URI, or the embedded one.
 *
 * @param options `isLasting`: whether other processes may use an embedded one that this process starts (default: true)
 * @throws StartupError when the embedded one cannot be started; it says what to install or set
 */
export async function openDatabase(
  environment: Environment,
  options: { readonly isLasting?: boolean } = {},
): Promise<OpenDatabase> {
  const { MONGODB_URI: uri, DATA_FOLDER: folder } = environment;
  if (uri !== undefined) {
    return { uri, description: withoutCredentials(uri), stop: () => Promise.resolve() };
  }
  // Where there is a MONGODB_URI, a start does without some two hundred modules.
  const { openSharedMongod } = await import('./development/embedded/shared-mongod.js');
  const mongod = await openSharedMongod(folder, options);
  const owner = mongod.isShared ? ' of another process, with which it ends' : '';
  return {
    uri: mongod.uri.replace('/?', `/${databaseName}?`),
    description: `${mongod.folder} (embedded MongoDB${owner})`,
    stop: () => mongod.stop(),
  };
}

/** Names the database and the cause in an error of connecting to it; other errors stay as they are. */
export async function describeConnectionError(
  { description, uri }: OpenDatabase,
  error: unknown,
): Promise<unknown> {
  if (!isConnectionError(error)) return error;
  const isNotFound = error.name.endsWith('ServerSelectionError');
  const isAsked = isNotFound && !isUnresponsive(error);
  const reason = (isAsked ? await topologyFault(uri) : undefined) ?? error.message;
  return new StartupError(`The database at ${description} cannot be used: ${reason}`, {
    cause: error,
  });
}

/** Whether none of the servers has answered in the time that there was: to ask them again would take as long. */
function isUnresponsive(error: Error): boolean {
  const { reason } = error as {
    reason?: { readonly servers?: ReadonlyMap<string, { readonly error: unknown }> };
  };
  const servers = [...(reason?.servers?.values() ?? [])];
  return servers.length > 0 && servers.every((server) => Boolean(server.error));
}

/** Whether the database cannot be found, reached or logged in to. */
function isConnectionError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return (
    isDatabaseUnavailable(error) ||
    error.name === 'MongoParseError' ||
    code === authenticationFailed ||
    syscall === 'querySrv'
  );
}

/**
 * A connection string that may be shown: without user, password and options. A password that was
 * not escaped may hold any separator, so everything before the last `@` goes.
 */
function withoutCredentials(uri: string): string {
  return uri.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '');
}
