import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, type Document, MongoClient } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { send, type ServiceProcess, startProcess } from '../support/service-process.js';
import { randomNumbers, report } from './support/fault-rounds.js';
import { LeadLoad, longestWait, statusCounts } from './support/lead-load.js';
import { type Member, type ReplicaSet, startReplicaSet } from './support/replica-set.js';
import { differences } from './support/stored-state.js';

const writes = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
const fullDisk = { errorCode: 14_031, failCommands: writes, appName: 'integration-api' };
const refusals: readonly (readonly [string, Document, Document])[] = [
  [
    'is read-only',
    { setUserWriteBlockMode: 1, global: true },
    { setUserWriteBlockMode: 1, global: false },
  ],
  [
    'has a full disk',
    { configureFailPoint: 'failCommand', mode: 'alwaysOn', data: fullDisk },
    { configureFailPoint: 'failCommand', mode: 'off' },
  ],
];

const random = randomNumbers();
let set: ReplicaSet;
let server: Member;
let client: MongoClient;
let db: Db;
let service: ServiceProcess;

beforeAll(async () => {
  set = await startReplicaSet(1);
  server = await set.primary();
  const MONGODB_URI = set.uri('faults');
  client = await new MongoClient(MONGODB_URI).connect();
  db = client.db();
  service = await startProcess({ MONGODB_URI });
});
afterEach(async () => {
  for (const [, , accept] of refusals) await server.command(accept);
});
afterAll(async () => {
  await client.close();
  await set.stop();
});

describe('a database', () => {
  it.each(refusals)(
    'that %s makes writes return 503 until it accepts them again',
    async (...row) => {
      const [what, refuse, accept] = row;
      const tenant = await addTenant(db);
      const load = new LeadLoad({ urls: () => [service.url], apiKey: tenant.key, random });
      const { marker } = await load.create('recordSystemId');
      load.start(8);
      await load.further(20);
      await server.command(refuse);
      const refused = () => load.answers.filter(({ status }) => status === 503);
      await eventually(() => {
        expect(refused().length).toBeGreaterThan(40);
      }, 30_000);
      const read = await send(service.url, {
        method: 'GET',
        path: `/leads/${marker}`,
        key: tenant.key,
      });
      expect(read.status).toBe(200);
      await server.command(accept);
      await load.further(50);
      await load.stop();
      report(
        `seed ${random.seed}, ${what}: answers ${JSON.stringify(statusCounts(load.answers))}, longest ` +
          `${longestWait(load.answers)} ms`,
      );
      expect(service.process.exitCode).toBeNull();
      expect(statusCounts(load.unexpected())).toEqual({});
      for (const { headers } of refused())
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(await differences(db, tenant.organizationId, load.leads)).toEqual([]);
    },
  );
});
