import { type Document, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Environment } from './core/configuration/environment.js';
import { StartupError } from './core/configuration/startup-errors.js';
import { isDatabaseUnavailable } from './core/database/connection/database-errors.js';

export interface OpenDatabase {
  readonly uri: string;
  /** Credentials are omitted. */
  readonly description: string;
  /** Stops only a database that this process started. */
  stop(): Promise<void>;
}

const databaseName = 'integration';
const authenticationFailed = 18;
const probeTimeoutMs = 1_000;
const remedy = 'start mongod with --replSet and run rs.initiate()';

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
  const { openSharedMongod } = await loadEmbedded();
  const mongod = await openSharedMongod(folder, options);
  const owner = mongod.isShared ? ' of another process, with which it ends' : '';
  return {
    uri: mongod.uri.replace('/?', `/${databaseName}?`),
    description: `${mongod.folder} (embedded MongoDB${owner})`,
    stop: () => mongod.stop(),
  };
}

/**
 * Loads about 200 modules, which `MONGODB_URI` makes unnecessary.
 *
 * @throws StartupError in an installation without development dependencies, such as the container image
 */
async function loadEmbedded() {
  try {
    return await import('./development/embedded/shared-mongod.js');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const line = 'The embedded database is a development dependency, which is not installed here';
    throw new StartupError(`${line}: set MONGODB_URI to a replica set.`, { cause: error });
  }
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

/** If no server responded in time, another attempt would take as long. */
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

/** Removes the options, and all text up to the last `@`, because an unescaped password may contain any separator. */
function withoutCredentials(uri: string): string {
  return uri.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '');
}

/** @throws StartupError when the database can run no transactions */
export async function assertTransactionsSupported({ db }: Connection): Promise<void> {
  const fault = replicaSetFault((await db?.admin().command({ hello: 1 })) ?? {});
  if (fault !== undefined) {
    throw new StartupError(`The database at MONGODB_URI cannot be used: ${fault}`);
  }
}

/** Explains why the driver finds no server: its own error says only that it timed out. */
async function topologyFault(uri: string): Promise<string | undefined> {
  const client = new MongoClient(uri, {
    serverSelectionTimeoutMS: probeTimeoutMs,
    connectTimeoutMS: probeTimeoutMs,
  });
  const { replicaSet } = client.options;
  const replies = new Map<string, Document>();
  client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => {
    replies.set(connectionId, reply);
  });
  try {
    await client.connect();
    return undefined;
  } catch {
    const hellos = [...replies.values()];
    const fault = hellos.map((hello) => replicaSetFault(hello, replicaSet)).find((text) => text);
    return fault ?? (hellos.length > 0 ? 'its replica set has no primary' : undefined);
  } finally {
    await client.close();
  }
}

function replicaSetFault(reply: HelloReply, expectedSet?: string): string | undefined {
  const { setName, isreplicaset: isUninitiated, msg } = reply;
  if (msg === 'isdbgrid') {
    if (!expectedSet) return undefined;
    return 'it is a sharded cluster: leave replicaSet out of MONGODB_URI';
  }
  if (isUninitiated === true) return 'its replica set is not initiated: run rs.initiate()';
  if (setName === undefined) {
    return `it is neither a replica set nor a sharded cluster, and transactions need one of them: ${remedy}`;
  }
  if (!expectedSet || setName === expectedSet) return undefined;
  return `its replica set is called ${setName}, but MONGODB_URI says replicaSet=${expectedSet}`;
}

interface HelloReply {
  readonly setName?: string;
  readonly isreplicaset?: boolean;
  readonly msg?: string;
}
