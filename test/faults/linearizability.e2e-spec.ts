import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { useFaultDatabase } from './support/fault-database.js';
import { Instances } from './support/instances.js';
import { faultsOf, type RecordedOperation } from './support/linearizability.js';
import { randomNumbers, report } from './support/random.js';
import { RecordedClients } from './support/recorded-clients.js';

const operationsOfRound = 2_000;
const clients = 12;

const database = useFaultDatabase();
const random = randomNumbers();
let instances: Instances;
let recorded: RecordedClients;

beforeAll(async () => {
  const { db, uri } = database;
  instances = await Instances.startTwo({ MONGODB_URI: uri, ROLE: 'api' });
  recorded = new RecordedClients(db, await addTenant(db), instances.urls, random);
});

/** Ways to falsify a response: of which operation, and how. */
const changes: readonly {
  readonly of: (operation: RecordedOperation) => boolean;
  readonly to: (output: Document) => Document;
}[] = [
  // A read of a lead that shows an earlier value.
  {
    of: ({ input, output }) => input.op === 'read' && (output?.['a'] ?? 0) > 0,
    to: (output) => ({ ...output, a: output['a'] - 1 }),
  },
  // A history of a cheque without one of its reports.
  {
    of: ({ input, output }) =>
      input.op === 'readReservation' && output?.['reservation'].reports > 0,
    to: ({ status, reservation }) => {
      return { status, reservation: { ...reservation, reports: reservation.reports - 1 } };
    },
  },
  // A recovery that is acknowledged though the unit is another's.
  {
    of: ({ output }) => output?.['message'] === 'This unit already reserved',
    to: ({ cheque }) => ({ status: 201, reservation: 'applied', cheque }),
  },
];

describe('the histories of two instances, one of them killed and restarted', () => {
  it('are linearizable', async () => {
    const operations = Number(process.env['FAULT_OPERATIONS'] ?? rounds(2_000, 250_000));
    const sum = { operations: 0, kills: 0, unanswered: 0 };
    while (sum.operations < operations) {
      const done = recorded.run(operationsOfRound, clients);
      await recorded.further(random.below(operationsOfRound / 2));
      await Promise.all([done, instances.replace(random.below(2))]);
      sum.kills += 1;
      sum.operations += recorded.history.length;
      sum.unanswered += recorded.history.filter(({ output }) => output === null).length;
      expect([faultsOf(recorded.history), recorded.unexpected]).toEqual([[], []]);
      recorded.forget();
    }
    report(`seed ${random.seed}: ${JSON.stringify(sum)}`);
  });

  it('are rejected when a response is falsified', async () => {
    const { history } = recorded;
    recorded.forget();
    // Random histories, until one can be falsified in each way. With one client there is only one order.
    for (
      let round = 0;
      round < 20 && !changes.every((change) => history.some(change.of));
      round++
    ) {
      await recorded.run(300, 1);
    }
    expect(faultsOf(history)).toEqual([]);
    for (const { of, to } of changes) {
      const index = history.findLastIndex(of);
      const operation = history[index] as RecordedOperation;
      const output = to(operation.output ?? {});
      const falsified = history.with(index, { ...operation, output });
      expect(faultsOf(falsified).map(({ key }) => key)).toEqual([operation.key]);
    }
  });
});
