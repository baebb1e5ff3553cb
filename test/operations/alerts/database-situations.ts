import { expect } from '@jest/globals';
import { MongoClient, type ObjectId } from 'mongodb';
import { Metrics } from '../../../src/core/observability/metrics.js';
import { RequestRecorder } from '../../../src/operator/request-log/request-recorder.js';
import { addKey, addLead, addTenant } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { basePath } from '../../support/shared-service.js';
import { eventually } from '../../support/eventually.js';
import type { startFaultDatabase } from '../../faults/support/fault-database.js';
import { valueIn } from '../metrics-text.js';
import type { Situation } from './situation.js';
import { observe, type ObservedService, Timeline } from './timeline.js';

type FaultDatabase = Awaited<ReturnType<typeof startFaultDatabase>>;

const all = { ROLE: 'all', OPS_PORT: '0', MAX_CONCURRENT_REQUESTS: '1000' };
const start = async (database: FaultDatabase, variables: Record<string, string> = {}) =>
  observe(await database.startService({ ...all, ...variables }));

const waitingName = 'database_connection_waiting';
const expiredName = 'transactions_expired_total';
const conflictsName = 'transaction_conflicts_total';
const get = (service: ObservedService, key: string, path: string) =>
  service.api('get', path).set('api-key', key);
const post = (service: ObservedService, key: string, path: string, body: object) =>
  service.api('post', path).set('api-key', key).send(body);

/** Reads of leads take almost three seconds, and 60 run at the same time on 50 connections. */
export async function slowDatabase(database: FaultDatabase): Promise<Situation> {
  const service = await start(database, { DATABASE_DEADLINE_MS: '30000' });
  const timeline = new Timeline([service]);
  const { organizationId, key } = await addTenant(service.db);
  await addLead(service.db, organizationId, { recordSystemId: 'one' });
  await get(service, key, '/leads/one').expect(200);
  await timeline.pass(3);
  const slow = { namespace: `${service.db.databaseName}.leads`, blockConnection: true };
  let requests: Promise<unknown> = Promise.resolve();
  await database.fail({ ...slow, failCommands: ['find'], blockTimeMS: 2_700 });
  await timeline.pass(3, async () => {
    await requests;
    requests = Promise.all(range(60).map(() => get(service, key, '/leads/one').expect(200)));
    await eventually(async () => {
      expect(await valueIn(service.service.app.get(Metrics), waitingName)).toBeGreaterThan(5);
    });
  });
  await requests;
  await database.recover();
  timeline.recording.hold(25, 'integration_api_http_request', `integration_api_${waitingName}`);
  return {
    name: 'the database responds slowly, and its connections do not suffice',
    recording: timeline.recording,
    since: 2,
    fires: [
      {
        alert: 'RequestsSlow',
        labels: { route: `/${basePath}/leads/:recordSystemId` },
        summary: /^p99 of \S+\/leads\/:recordSystemId is \d+(?:\.\d+)?s$/,
      },
      {
        alert: 'ConnectionsExhausted',
        labels: { instance: 'a' },
        summary: /^\d+ operations of a wait for a connection to the database$/,
      },
    ],
  };
}

/** Writes do not respond before the deadline; reads do. */
export async function hangingWrites(database: FaultDatabase): Promise<Situation> {
  const service = await start(database, { DATABASE_DEADLINE_MS: '2000' });
  const timeline = new Timeline([service]);
  const tenants = await Promise.all(range(10).map(() => addTenant(service.db)));
  const postAll = (status: number) =>
    Promise.all(tenants.map(({ key }) => post(service, key, '/leads', {}).expect(status)));
  await timeline.pass(3, () => postAll(201));
  const namespace = `${service.db.databaseName}.leads`;
  const blocked = { failCommands: ['insert'], blockConnection: true, blockTimeMS: 2_200 };
  await database.fail({ ...blocked, namespace });
  let expected = 0;
  await timeline.pass(15, async () => {
    await postAll(503);
    expected += tenants.length;
    // A transaction ends after its response.
    await eventually(async () => {
      expect(await valueIn(service.service.app.get(Metrics), expiredName)).toBe(expected);
    });
  });
  await database.recover();
  return {
    name: 'the database does not store changes in time',
    recording: timeline.recording,
    since: 2,
    fires: [
      { alert: 'ErrorRateHigh', summary: /^100% of responses are 5xx$/ },
      { alert: 'TransactionsExpiring', summary: /^\d+(?:\.\d)?m transactions per second expire$/ },
    ],
  };
}

/** Another program changes a lead in transactions that are open for a while. */
export async function conflictingTransactions(database: FaultDatabase): Promise<Situation> {
  const service = await start(database);
  const timeline = new Timeline([service]);
  const { organizationId, key } = await addTenant(service.db);
  await post(service, key, '/leads', { recordSystemId: 'one' }).expect(201);
  await timeline.pass(3);
  await using client = await new MongoClient(database.uri).connect();
  const leads = client.db().collection<{ _id: ObjectId; note: number }>('leads');
  const countConflicts = async () =>
    (await valueIn(service.service.app.get(Metrics), conflictsName)) ?? 0;
  let note = 0;
  await timeline.pass(25, async () => {
    await client.withSession(async (session) => {
      session.startTransaction();
      const filter = { organizationId };
      await leads.updateOne(filter, { $set: { note: note++ } }, { session });
      const conflicts = await countConflicts();
      const lead = { recordSystemId: 'one', additionalData: { note } };
      // A request starts only when its response is awaited.
      const changed = (async () => post(service, key, '/leads', lead).expect(200))();
      await eventually(async () => expect(await countConflicts()).toBeGreaterThan(conflicts + 2));
      await session.commitTransaction();
      await changed;
    });
  });
  return {
    name: 'another program holds leads in long transactions',
    recording: timeline.recording,
    since: 2,
    fires: [
      {
        alert: 'TransactionConflicts',
        summary: /^\d+(?:\.\d+)?% of transaction attempts conflict$/,
      },
    ],
  };
}

/** The request log cannot be stored until its buffer is full. */
export async function unstoredRequestLog(database: FaultDatabase): Promise<Situation> {
  const service = await start(database);
  const recorder = service.service.app.get(RequestRecorder);
  const timeline = new Timeline([service]);
  const { organizationId } = await addTenant(service.db);
  await timeline.pass(3);
  const namespace = `${service.db.databaseName}.requestLog`;
  await database.fail({ failCommands: ['aggregate'], namespace, errorCode: 8 });
  await timeline.pass(1, async () => {
    for (let count = 0; count < 3; count++) {
      const key = await addKey(service.db, organizationId);
      for (let sent = 0; sent < 750; sent += 50) {
        await Promise.all(range(50).map(() => get(service, key, '/leads/none').expect(404)));
      }
    }
  });
  await database.recover();
  await timeline.pass(1, () => recorder.store());
  timeline.recording.hold(20, 'integration_api_request_log_lost_total');
  return {
    name: 'the request log cannot be stored',
    recording: timeline.recording,
    since: 2,
    fires: [
      { alert: 'RequestRecordsLost', summary: /^250 requests are missing from the request log$/ },
    ],
  };
}

/** A commit takes longer than its request may, as without a majority; the request gets 503 before. */
export async function lateCommit(database: FaultDatabase): Promise<() => Promise<number>> {
  const service = await start(database, { ROLE: 'api', DATABASE_DEADLINE_MS: '1000' });
  const { key } = await addTenant(service.db);
  await post(service, key, '/leads', {}).expect(201);
  const blocked = { blockConnection: true, blockTimeMS: 1_500 };
  await database.fail({ failCommands: ['commitTransaction'], ...blocked });
  await post(service, key, '/leads', {}).expect(503);
  // The driver repeats the commit.
  await database.recover();
  const metrics = service.service.app.get(Metrics);
  return async () => (await valueIn(metrics, expiredName)) ?? 0;
}
