import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { alertRules, alertTests } from './queries.js';

const run = promisify(execFile);
const names = alertRules()
  .map(({ name }) => name)
  .toSorted();

describe('the alert rules', () => {
  const runbook = readFileSync('docs/runbook.md', 'utf8');

  it('have one paragraph each in the runbook, which has no others', () => {
    const headings = [...runbook.matchAll(/^## (\w+)\n\n\S/gm)].map(([, name]) => name);
    expect(headings.toSorted()).toEqual(names);
    for (const { name, annotations } of alertRules()) {
      expect(annotations['runbook']).toBe(`docs/runbook.md#${name.toLowerCase()}`);
      expect(annotations['summary']).toMatch(/\S/);
    }
  });

  it('have one test each with an alert and one without', () => {
    const tests = alertTests();
    expect([...tests.keys()].toSorted()).toEqual(names);
    for (const { firing, silent } of tests.values()) {
      expect(Math.min(firing, silent)).toBeGreaterThan(0);
    }
  });

  // Prometheus' own tool evaluates them; it is no package of npm.
  const wherePromtoolIs = spawnSync('promtool', ['--version']).status === 0 ? it : it.skip;
  wherePromtoolIs('produce the alerts that their tests expect', async () => {
    await run('promtool', ['test', 'rules', 'ops/alerts.test.yml']);
  });
});
