import { afterAll, beforeAll } from '@jest/globals';
import { type Db, type Document, MongoClient } from 'mongodb';
import { startTestService, type TestService } from '../../support/test-service.js';
import { type Member, type ReplicaSet, startReplicaSet } from './replica-set.js';

/** A database of a test file, which breaks it; all is there from the first `beforeAll` on. */
export interface FaultDatabase {
  readonly uri: string;
  readonly db: Db;
  readonly members: readonly Member[];
  /** The first server, which is the primary where it is the only one. */
  readonly server: Member;
  /** The member that takes writes now; waits for it. */
  primary(): Promise<Member>;
  /** Fails commands of services as `failCommand` describes it, each of them by default. */
  fail(data: Document, mode?: Document): Promise<void>;
  /** Ends the failure. */
  pass(): Promise<void>;
  /** Starts a service in this process that stops before the database does. */
  startService(variables?: Record<string, string>): Promise<TestService>;
}

/** Starts a replica set for a test file, and connects to it. */
export function useFaultDatabase(size = 1): FaultDatabase {
  let set: ReplicaSet;
  let client: MongoClient;
  const services: TestService[] = [];
  const server = () => set.members[0] as Member;
  const setFailure = async (mode: Document | string, data = {}) => {
    const failing = { appName: 'integration-api', failCommands: [], ...data };
    await server().command({ configureFailPoint: 'failCommand', mode, data: failing });
  };
  beforeAll(async () => {
    set = await startReplicaSet(size);
    client = await new MongoClient(set.uri('faults')).connect();
  });
  afterAll(async () => {
    // A failed test may have left it failing, or without its server.
    await setFailure('off').catch(() => undefined);
    for (const service of services) await service.stop();
    await client.close();
    await set.stop();
  });
  return {
    get uri() {
      return set.uri('faults');
    },
    get db() {
      return client.db();
    },
    get members() {
      return set.members;
    },
    get server() {
      return server();
    },
    primary: () => set.primary(),
    fail: (data, mode) => setFailure(mode ?? 'alwaysOn', data),
    pass: () => setFailure('off'),
    startService: async (variables = {}) => {
      const service = await startTestService(variables, set.uri('faults'));
      services.push(service);
      return service;
    },
  };
}
