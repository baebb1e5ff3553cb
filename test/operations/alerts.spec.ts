import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { alertRules } from './queries.js';

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts?: readonly unknown[];
    }[];
  }[];
}

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
  });

  it('have one test each with an alert and one without', () => {
    const { tests } = parse(readFileSync('ops/alerts.test.yml', 'utf8')) as RuleTests;
    const expected = tests.flatMap(({ alert_rule_test: list }) => list);
    const namesIn = (list: typeof expected) =>
      [...new Set(list.map(({ alertname }) => alertname))].toSorted();
    expect(namesIn(expected.filter((one) => one.exp_alerts?.length))).toEqual(names);
    expect(namesIn(expected.filter((one) => !one.exp_alerts?.length))).toEqual(names);
  });

  // Only promtool of Prometheus evaluates alert rules, and no npm package contains it.
  const itIfPromtoolIsInstalled = spawnSync('promtool', ['--version']).status === 0 ? it : it.skip;
  itIfPromtoolIsInstalled('produce the alerts that their tests expect', async () => {
    await run('promtool', ['test', 'rules', 'ops/alerts.test.yml']);
  });
});
