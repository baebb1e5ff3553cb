import type { Environment } from '../configuration/environment.js';
import { openEmbeddedMongod } from './embedded-mongod.js';

/** The database that the service works on. */
export interface OpenDatabase {
  readonly uri: string;
  /** Where the data is, in words that hold no credentials. */
  readonly description: string;
  /** Stops it when it is embedded and was started by this process. */
  stop(): Promise<void>;
}

const databaseName = 'integration';

/**
 * The database at MONGODB_URI, or the embedded one.
 *
 * @throws Error when the embedded one cannot be started; it says what to install or set
 */
export async function openDatabase(environment: Environment): Promise<OpenDatabase> {
  const { MONGODB_URI: uri, DATA_FOLDER: folder } = environment;
  if (uri !== undefined) {
    return { uri, description: withoutCredentials(uri), stop: () => Promise.resolve() };
  }
  const mongod = await openEmbeddedMongod(folder);
  return {
    uri: mongod.uri.replace('/?', `/${databaseName}?`),
    description: `${mongod.folder} (embedded MongoDB)`,
    stop: () => mongod.stop(),
  };
}

/** A connection string that may be shown: without user, password and options. */
function withoutCredentials(uri: string): string {
  return uri.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, '');
}
