import { type Db, MongoClient } from 'mongodb';
import { type Member, startReplicaSet } from './replica-set.js';

/** A database of its own for a test that breaks what uses it. */
export interface FaultDatabase {
  readonly uri: string;
  readonly db: Db;
  /** Its only server. */
  readonly server: Member;
  stop(): Promise<void>;
}

/** Starts a replica set of one server, and connects to it. */
export async function startFaultDatabase(): Promise<FaultDatabase> {
  const set = await startReplicaSet(1);
  const uri = set.uri('faults');
  const client = await new MongoClient(uri).connect();
  return {
    uri,
    db: client.db(),
    server: await set.primary(),
    stop: async () => {
      await client.close();
      await set.stop();
    },
  };
}
