import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { report } from '../../faults/support/random.js';
import type { Recording } from './recording.js';

const run = promisify(execFile);
const source = 'github.com/prometheus/prometheus/cmd/promtool@v0.316.0';
const cache = join(homedir(), `.cache/integration-api/promtool-${source.replace(/.*@/, '')}`);
/** Without service discovery, whose libraries take most of the build. */
const tags = 'remove_all_sd';

export interface Firing {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Minute of the recording at which the alert first fires. */
  readonly minute: number;
}

/**
 * Finds promtool on the PATH, or installs it once with Go: no npm package evaluates alert rules.
 *
 * @returns undefined if this machine cannot install it, which is reported
 */
export async function findPromtool(): Promise<string | undefined> {
  try {
    const { stdout } = await run('promtool', ['--version']);
    // Before version 3, a range also includes a sample at its start. A promtool that Go has built prints no version.
    if (!/version [0-2]\./.test(stdout)) return 'promtool';
    throw new Error('Too old');
  } catch {
    const installed = join(cache, 'promtool');
    if (existsSync(installed)) return installed;
    try {
      await run('go', ['install', '-tags', tags, source], {
        env: { ...process.env, GOBIN: cache },
      });
      return installed;
    } catch (error) {
      report(`Skipped: promtool is missing and cannot be installed: ${(error as Error).message}`);
      return undefined;
    }
  }
}

export async function testRules(promtool: string, file: string): Promise<void> {
  await run(promtool, ['test', 'rules', file]);
}

/** Returns every alert of a recording when it first fires. */
export async function firingsOf(promtool: string, recording: Recording): Promise<Firing[]> {
  const last = recording.minutes - 1;
  const firing = 'timestamp(ALERTS{alertstate="firing"})';
  const output = await failureOf(promtool, recording, {
    promql_expr_test: [
      { expr: `min_over_time(${firing}[${last}m:1m])`, eval_time: `${last}m`, exp_samples: [] },
    ],
  });
  const got = output.slice(output.indexOf('got:'));
  const found = [...got.matchAll(/\{(.*?)\} ([\d.E+]+)/g)].map(([, labels = '', seconds = '']) => ({
    labels: pairsOf(labels),
    minute: Number(seconds) / 60,
  }));
  return Promise.all(
    found.map(async ({ labels: { alertstate: _state, ...labels }, minute }) => {
      const test = { eval_time: `${minute}m`, alertname: labels['alertname'] };
      const alerts = await failureOf(promtool, recording, { alert_rule_test: [test] });
      const [annotations] = [...alerts.matchAll(/Labels:\{(.*)\}\s+Annotations:\{(.*)\}/g)]
        .filter(([, text = '']) => isSame(pairsOf(text), labels))
        .map(([, , text = '']) => pairsOf(text));
      return { labels, minute, annotations: annotations ?? {} };
    }),
  );
}

/** Runs a test that expects no sample and no alert, and returns the found ones in promtool's notation. */
async function failureOf(promtool: string, recording: Recording, test: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  try {
    const file = join(folder, 'alerts.test.yml');
    const tests = [{ interval: '1m', input_series: recording.inputSeries(), ...test }];
    const rule_files = [resolve('ops/alerts.yml')];
    await writeFile(file, stringify({ rule_files, evaluation_interval: '1m', tests }));
    await testRules(promtool, file);
    return '';
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    if (!stderr.includes('got:')) throw error;
    return stdout + stderr;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function pairsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(pairs.map(([, key, value]) => [key, value])) as Record<string, string>;
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}
