import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { useFaultDatabase } from './support/fault-database.js';
import { buildChecker, checkHistories } from './support/histories.js';
import { Instances } from './support/instances.js';
import { randomNumbers, report } from './support/random.js';
import { RecordedClients, type RecordedOperation } from './support/recorded-clients.js';

const operationsOfRound = 2_000;
const clients = 12;

const reason = await buildChecker();
if (reason !== undefined) report(`Histories are not checked. ${reason}`);
const whereGoIs = reason === undefined ? it : it.skip;

const database = useFaultDatabase();
const random = randomNumbers();
let instances: Instances;
let recorded: RecordedClients;

beforeAll(async () => {
  if (reason !== undefined) return;
  const { db, uri } = database;
  instances = await Instances.startTwo({ MONGODB_URI: uri, ROLE: 'api' });
  recorded = new RecordedClients(db, await addTenant(db), instances.urls, random);
});

describe('the histories of two instances, one of them killed and restarted', () => {
  whereGoIs('are linearizable', async () => {
    const operations = Number(process.env['FAULT_OPERATIONS'] ?? rounds(2_000, 1_000_000));
    let kills = 0;
    let notTold = 0;
    let total = 0;
    const startedAt = performance.now();
    while (total < operations) {
      const done = recorded.run(operationsOfRound, clients);
      await recorded.further(random.below(operationsOfRound / 2));
      await Promise.all([done, instances.replace(random.below(2))]);
      kills += 1;
      total += recorded.history.length;
      const found = await checkHistories(recorded.history);
      notTold += recorded.history.filter(({ output }) => output === null).length;
      if (found.illegal.length > 0) report(`pictures: ${found.pictures}`);
      expect([found.illegal, found.undecided, recorded.unexpected]).toEqual([[], [], []]);
      recorded.forget();
    }
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    report(
      `seed ${random.seed}: ${total} operations in ${seconds} s, ${kills} kills, ${notTold} ` +
        `operations of which nobody knows whether they happened: linearizable`,
    );
  });

  whereGoIs('are rejected when a response is falsified', async () => {
    const changes = [staleLead, lostReport, soldTwice];
    // Random histories, until one can be falsified in each way. With one client there is
    // one order alone, and no other one in which what was changed would be right.
    recorded.forget();
    for (let round = 0; round < 20; round++) {
      await recorded.run(300, 1);
      if (changes.every((change) => change(recorded.history) !== null)) break;
    }
    const history = [...recorded.history];
    expect((await checkHistories(history)).illegal).toEqual([]);
    for (const change of changes) {
      const { index, operation } = change(history) ?? {};
      if (index === undefined || operation === undefined) throw new Error('Nothing to change.');
      const { illegal } = await checkHistories(history.with(index, operation));
      expect(illegal).toEqual([operation.key]);
    }
  });
});

function changed(
  history: readonly RecordedOperation[],
  isMeant: (operation: RecordedOperation) => boolean,
  output: (operation: RecordedOperation) => object,
) {
  const index = history.findLastIndex(isMeant);
  const operation = history[index];
  if (operation === undefined) return null;
  return {
    index,
    operation: { ...operation, output: { ...operation.output, ...output(operation) } },
  };
}

/** A read of a lead that shows a value of before. */
function staleLead(history: readonly RecordedOperation[]) {
  return changed(
    history,
    ({ input, output }) => input.op === 'read' && (output?.['a'] ?? 0) > 0,
    ({ output }) => ({ a: output?.['a'] - 1 }),
  );
}

/** A history of a cheque with an entry removed. */
function lostReport(history: readonly RecordedOperation[]) {
  return changed(
    history,
    ({ input, output }) => input.op === 'readReservation' && output?.['reservation'].reports > 0,
    ({ output }) => {
      const { reservation } = output as { reservation: { reports: number } };
      return { reservation: { ...reservation, reports: reservation.reports - 1 } };
    },
  );
}

/** A recovery that is acknowledged though the unit is another's. */
function soldTwice(history: readonly RecordedOperation[]) {
  return changed(
    history,
    ({ output }) => output?.['code'] === 'unit.already_reserved',
    () => ({ status: 201, code: '' }),
  );
}
