import { type Db, MongoClient } from 'mongodb';
import { kill, startProcess } from './service-process.js';
import { randomDatabaseUri } from './test-service.js';

/** Two services in processes of their own on one database. */
export interface Instances {
  /** The same database as other programs see it. */
  readonly db: Db;
  /** What they were started with, for one more. */
  readonly variables: Record<string, string>;
  /** Address of the instance whose turn it is. */
  readonly url: (turn: number) => string;
  stop(): Promise<void>;
}

/** Starts both at once on an empty database, so that both prepare it. */
export async function startInstances(): Promise<Instances> {
  const databaseUri = randomDatabaseUri();
  const client = await new MongoClient(databaseUri).connect();
  // Correct is what counts here, on a busy machine too; deadlines have tests of their own.
  const variables = { MONGODB_URI: databaseUri, DATABASE_DEADLINE_MS: '30000' };
  const instances = await Promise.all([startProcess(variables), startProcess(variables)]);
  return {
    variables,
    db: client.db(),
    url: (turn) => instances[turn % 2 === 0 ? 0 : 1].url,
    stop: async () => {
      await Promise.all(instances.map(kill));
      await client.close();
    },
  };
}
