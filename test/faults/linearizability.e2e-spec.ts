import { describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { startFaultDatabase } from './support/fault-database.js';
import { startTwoInstances } from './support/instances.js';
import { faultsIn, type Input } from './support/linearizability.js';
import { randomNumbers, report } from './support/random.js';
import { RecordedClients } from './support/recorded-clients.js';

const operationsOfRound = 2_000;
const clients = 12;

const { db, uri } = await startFaultDatabase();

describe('two instances of which one is killed and restarted', () => {
  it('return linearizable responses', async () => {
    const random = randomNumbers();
    const instances = await startTwoInstances({ MONGODB_URI: uri, ROLE: 'api' });
    const recorded = new RecordedClients(db, await addTenant(db), instances.urls, random);
    const operations = Number(process.env['FAULT_OPERATIONS'] ?? rounds(2_000, 250_000));
    const sum = { operations: 0, kills: 0, unanswered: 0 };
    while (sum.operations < operations) {
      const done = recorded.run(operationsOfRound, clients);
      await recorded.waitForOperations(random.below(operationsOfRound / 2));
      const victim = random.below(2);
      await instances.kill(victim);
      await Promise.all([done, instances.restart(victim)]);
      sum.kills += 1;
      sum.operations += recorded.history.length;
      sum.unanswered += recorded.history.filter(({ output }) => output === null).length;
      expect([faultsIn(recorded.history), recorded.unexpected]).toEqual([[], []]);
      recorded.clearHistory();
    }
    report(`seed ${random.seed}: ${JSON.stringify(sum)}`);
  });
});

describe('the linearizability checker', () => {
  const callback = (reservation: number, sent: object): Input => ({
    op: 'callback',
    reservation,
    ...sent,
  });
  const applied = { status: 201, reservation: 'applied', cheque: 'applied' };
  const lead = { status: 200, leadId: 1, a: 1, b: 0 };
  const collected = { chequeStatus: 'collected', reports: 1, isWalletDeleted: false };
  const approved = { status: 200, reservation: { status: 'approved', ...collected } };
  const refused = {
    ...applied,
    status: 422,
    message: 'This unit already reserved',
    reservation: 'unchanged',
  };
  /**
   * Each row: the name, the key, all requests but the last with their responses, then the last request with a right and a
   * wrong response.
   */
  const histories: [string, string, [Input, Document][], Input, Document, Document][] = [
    [
      'a stale read',
      'lead',
      [
        [
          { op: 'upsert', field: 'a', value: 1 },
          { ...lead, status: 201 },
        ],
      ],
      { op: 'read' },
      lead,
      { ...lead, a: 0 },
    ],
    [
      'a lost report',
      'unit',
      [[callback(0, { chequeStatus: 'collected' }), applied]],
      { op: 'readReservation', reservation: 0 },
      approved,
      { ...approved, reservation: { ...approved.reservation, reports: 0 } },
    ],
    [
      'a unit that is sold twice',
      'unit',
      [
        [callback(0, { chequeStatus: 'bounced' }), applied],
        [callback(1, { reservationStatus: 'approved' }), { ...applied, cheque: 'none' }],
      ],
      callback(0, { chequeStatus: 'collected' }),
      refused,
      applied,
    ],
  ];

  it.each(histories)('reports a history with %s', (_, key, earlier, last, right, wrong) => {
    const historyWith = (output: Document) =>
      [...earlier, [last, output] as const].map(([input, shown], index) => {
        return { key, input, output: shown, call: 2 * index, return: 2 * index + 1 };
      });
    expect(faultsIn(historyWith(right))).toEqual([]);
    expect(faultsIn(historyWith(wrong))).toMatchObject([{ key }]);
  });
});
