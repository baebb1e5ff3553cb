import type { Environment } from './core/configuration/environment.js';
import { StartupError } from './core/configuration/startup-errors.js';
import { isDatabaseUnavailable } from './core/database/connection/database-errors.js';
import { topologyFault } from './core/database/connection/topology.js';

export interface OpenDatabase {
  readonly uri: string;
  /** Credentials are omitted. */
  readonly description: string;
  /** Stops only a database that this process started. */
  stop(): Promise<void>;
}

const databaseName = 'integration';
const authenticationFailed = 18;

/**
 * @param options `isLasting`: other processes may use an embedded database that this process starts
 * @throws StartupError that says what to install or set
 */
export async function openDatabase(
  environment: Environment,
  options: { readonly isLasting?: boolean } = {},
): Promise<OpenDatabase> {
  const { MONGODB_URI: uri, DATA_FOLDER: folder } = environment;
  if (uri !== undefined) {
    return { uri, description: withoutCredentials(uri), stop: () => Promise.resolve() };
  }
  // Loads about 200 modules, which MONGODB_URI makes unnecessary.
  const { openSharedMongod } = await import('./development/embedded/shared-mongod.js');
  const mongod = await openSharedMongod(folder, options);
  const owner = mongod.isShared ? ' of another process, with which it ends' : '';
  return {
    uri: mongod.uri.replace('/?', `/${databaseName}?`),
    description: `${mongod.folder} (embedded MongoDB${owner})`,
    stop: () => mongod.stop(),
  };
}

/** Adds the database and the cause to connection errors. */
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

/** No server responded in time: asking again would take as long. */
function isUnresponsive(error: Error): boolean {
  const { reason } = error as {
    reason?: { readonly servers?: ReadonlyMap<string, { readonly error: unknown }> };
  };
  const servers = [...(reason?.servers?.values() ?? [])];
  return servers.length > 0 && servers.every((server) => Boolean(server.error));
}

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
 * User, password and options are removed. An unescaped password may contain any separator, so everything before
 * the last `@` goes.
 */
function withoutCredentials(uri: string): string {
  return uri.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '');
}
