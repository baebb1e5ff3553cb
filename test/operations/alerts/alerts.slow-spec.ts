import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { startFaultDatabase } from '../../faults/support/fault-database.js';
import { eventually } from '../../support/eventually.js';
import { alertRules, queryProblems } from '../queries.js';
import {
  conflictingTransactions,
  hangingWrites,
  lateCommit,
  slowDatabase,
  unstoredRequestLog,
} from './database-situations.js';
import { silentAndExpiringKeys } from './key-situations.js';
import {
  blockedEventLoop,
  healthyService,
  killedInstances,
  removedInstances,
  stalledLog,
} from './process-situations.js';
import { type Firing, findPromtool, firingsOf } from './promtool.js';
import { recordedShapes, type RuleTest, ruleTestOf, writeRuleTests } from './rule-tests.js';
import { firingMinutes } from './runbook.js';
import type { Situation } from './situation.js';
import { failingEndpoints, missingWorker } from './webhook-situations.js';

const database = await startFaultDatabase();
const promtool = await findPromtool();
const isRecording = process.env['RECORD_ALERTS'] !== undefined;
const ruleTests: RuleTest[] = [];
/** Labels by metric, over all situations. */
const exported = new Map<string, Set<string>>();

afterEach(() => database.recover());
afterAll(async () => {
  if (isRecording && promtool !== undefined) await writeRuleTests(promtool, ruleTests);
});

function expectFirings({ fires, since }: Situation, found: readonly Firing[]): void {
  const minutes = firingMinutes();
  const expected = fires.map(({ alert, labels, summary, since: begin = since }) => ({
    labels: expect.objectContaining({ alertname: alert, ...labels }),
    minute: begin + (minutes.get(alert) ?? Number.NaN),
    annotations: expect.objectContaining({ summary: expect.stringMatching(summary) }),
  }));
  expect(found).toHaveLength(expected.length);
  expect(found).toEqual(expect.arrayContaining(expected));
}

describe('alerts fire after the minutes that the runbook names, and no other alert fires', () => {
  it.each<[string, () => Promise<Situation>]>([
    ['an endpoint fails and is retried as documented', failingEndpoints],
    ['no process delivers webhooks', missingWorker],
    ['a key becomes silent and another is about to expire', silentAndExpiringKeys],
    ['instances are killed', killedInstances],
    ['service discovery returns no instance', removedInstances],
    ['nobody reads the log', stalledLog],
    ['the event loop is blocked', blockedEventLoop],
    ['the database responds slowly', () => slowDatabase(database)],
    ['the database does not store changes', () => hangingWrites(database)],
    ['transactions conflict', () => conflictingTransactions(database)],
    ['the request log cannot be stored', () => unstoredRequestLog(database)],
    ['the service is healthy', healthyService],
  ])('when %s', async (_title, record) => {
    const situation = await record();
    const { name, recording } = situation;
    for (const [metric, labels] of recording.shapes()) {
      exported.set(metric, new Set([...(exported.get(metric) ?? []), ...labels]));
    }
    if (!isRecording) {
      // Without promtool this shows that the stored recording still has the names of today's metrics.
      const shapes = [...recording.shapes().keys()];
      expect(shapes).toEqual(expect.arrayContaining(recordedShapes(name)));
    }
    if (promtool === undefined) return;
    const firings = await firingsOf(promtool, situation.recording);
    expectFirings(situation, firings);
    ruleTests.push(ruleTestOf(situation, firings));
  });

  it('and the recordings contain all metrics and labels that the rules query', () => {
    const problems = alertRules().flatMap(({ expr }) => queryProblems(expr, exported));
    expect(problems).toEqual([]);
  });
});

it('transactions_expired_total counts a transaction whose commit outlasts the deadline', async () => {
  const expired = await lateCommit(database);
  await eventually(async () => expect(await expired()).toBe(1));
});
