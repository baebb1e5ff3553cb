import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { alertRules } from '../queries.js';
import { storedRuleTests } from './rule-tests.js';
import { firingMinutes } from './runbook.js';

const run = promisify(execFile);
const names = alertRules()
  .map(({ alert }) => alert)
  .toSorted();

describe('the alert rules', () => {
  const runbook = readFileSync('docs/runbook.md', 'utf8');

  it('match the paragraphs of the runbook one to one', () => {
    const headings = [...runbook.matchAll(/^## (\w+)\n\n\S/gm)].map(([, name]) => name);
    expect(headings.toSorted()).toEqual(names);
    for (const { alert, annotations } of alertRules()) {
      expect(annotations['runbook']).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(annotations['summary']).toMatch(/\S/);
    }
    expect([...firingMinutes().keys()].toSorted()).toEqual(names);
  });

  it('have one recorded test each with an alert and one without', () => {
    const expected = storedRuleTests().flatMap(({ alert_rule_test: list }) => list);
    const namesIn = (list: typeof expected) =>
      [...new Set(list.map(({ alertname }) => alertname))].toSorted();
    expect(namesIn(expected.filter((one) => one.exp_alerts?.length))).toEqual(names);
    expect(namesIn(expected.filter((one) => !one.exp_alerts?.length))).toEqual(names);
  });

  // Only promtool of Prometheus evaluates alert rules, and no npm package contains it.
  const itIfPromtoolIsInstalled = spawnSync('promtool', ['--version']).status === 0 ? it : it.skip;
  itIfPromtoolIsInstalled('produce the alerts that their tests expect', async () => {
    const files = ['ops/alerts.test.yml', 'ops/alerts-limits.test.yml'];
    await run('promtool', ['test', 'rules', ...files]);
  });
});
