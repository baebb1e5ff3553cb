import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { send, type ServiceProcess, startProcess } from '../support/service-process.js';
import { useFaultDatabase } from './support/fault-database.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';

const writes = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
const outOfDiskSpace = 14_031;

const database = useFaultDatabase();
let service: ServiceProcess;

const blockWrites = (isBlocked: boolean) =>
  database.server.command({ setUserWriteBlockMode: 1, global: isBlocked });

beforeAll(async () => {
  service = await startProcess({ MONGODB_URI: database.uri });
});
afterEach(async () => {
  await blockWrites(false);
  await database.pass();
});

describe('a database', () => {
  it.each([
    {
      state: 'is read-only',
      refuse: () => blockWrites(true),
      accept: () => blockWrites(false),
    },
    {
      state: 'has a full disk',
      refuse: () => database.fail({ failCommands: writes, errorCode: outOfDiskSpace }),
      accept: () => database.pass(),
    },
  ])(
    'that $state makes writes return 503 until it accepts them again',
    async ({ state, refuse, accept }) => {
      const { db } = database;
      const tenant = await addTenant(db);
      const random = randomNumbers();
      const load = new LeadLoad({ db, tenant, urls: () => [service.url], random });
      const { marker } = await load.create('recordSystemId');
      load.start(8);
      await load.further(20);
      await refuse();
      await eventually(() => expect(load.unavailable.length).toBeGreaterThan(40));
      const request = { method: 'GET', path: `/leads/${marker}`, key: tenant.key };
      expect((await send(service.url, request)).status).toBe(200);
      await accept();
      await load.further(50);
      await load.stop();
      report(`${state}: ${load.summary}`);
      expect(service.process.exitCode).toBeNull();
      for (const { headers } of load.unavailable) {
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(await load.wrongs()).toEqual([]);
    },
  );
});
