import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { parse, stringify } from 'yaml';
import { alertRules } from '../queries.js';
import { type Firing, testRules } from './promtool.js';
import type { InputSeries } from './recording.js';
import type { Situation } from './situation.js';

const file = 'ops/alerts.test.yml';
const heading = `# Recorded from running services by \`RECORD_ALERTS=1 TEST_KIND=slow npm test -- operations/alerts\`, which writes this file.
# \`promtool test rules ${file}\` tests when each alert of alerts.yml fires.
`;

interface RuleExpectation {
  readonly eval_time: string;
  readonly alertname: string;
  readonly exp_alerts?: readonly {
    readonly exp_labels: Readonly<Record<string, string>>;
    readonly exp_annotations: Readonly<Record<string, string>>;
  }[];
}

/** A test in the notation of promtool. */
export interface RuleTest {
  readonly name: string;
  readonly interval: '1m';
  readonly input_series: readonly InputSeries[];
  readonly alert_rule_test: readonly RuleExpectation[];
  readonly promql_expr_test?: readonly object[];
}

export function storedRuleTests(): readonly RuleTest[] {
  const { tests } = parse(readFileSync(file, 'utf8')) as { tests: RuleTest[] };
  return tests;
}

/** Returns the metrics of a stored recording. */
export function recordedShapes(name: string): string[] {
  const test = storedRuleTests().find((stored) => stored.name === name);
  if (test === undefined) throw new Error(`${file} has no recording "${name}": record it again.`);
  return [...new Set(test.input_series.map(({ series }) => /^\w+/.exec(series)?.[0] ?? ''))];
}

/** Returns a test that expects the alerts in the minute in which they first fire, and not in the minute before. */
export function ruleTestOf({ name, recording }: Situation, firings: readonly Firing[]): RuleTest {
  const input = recording.inputSeries();
  const base = { name, interval: '1m' } as const;
  if (firings.length === 0) {
    const last = `${recording.minutes - 1}m`;
    const expr = `count_over_time(ALERTS{alertstate="firing"}[${last}])`;
    return {
      ...base,
      input_series: input,
      alert_rule_test: alertRules().map(({ alert }) => ({ eval_time: last, alertname: alert })),
      promql_expr_test: [{ expr, eval_time: last, exp_samples: [] }],
    };
  }
  const times = firings.flatMap(({ labels: { alertname = '' }, minute }) => [
    { alertname, minute: minute - 1 },
    { alertname, minute },
  ]);
  const unique = new Map(times.map((time) => [`${time.alertname} ${time.minute}`, time]));
  return {
    ...base,
    // Constant zeros say nothing that the recording of the healthy service does not say.
    input_series: input.filter(({ values }) => !/^(?:_x?\d* )?0x\d+$/.test(values)),
    alert_rule_test: [...unique.values()].map((time) => expectationAt(time, firings)),
  };
}

function expectationAt(
  { alertname, minute }: { readonly alertname: string; readonly minute: number },
  firings: readonly Firing[],
): RuleExpectation {
  const alerts = firings.filter(
    (firing) => firing.labels['alertname'] === alertname && firing.minute <= minute,
  );
  const expected = alerts.map(({ labels: { alertname: _name, ...labels }, annotations }) => ({
    exp_labels: labels,
    exp_annotations: annotations,
  }));
  const time = { eval_time: `${minute}m`, alertname };
  return expected.length === 0 ? time : { ...time, exp_alerts: expected };
}

export async function writeRuleTests(promtool: string, tests: readonly RuleTest[]): Promise<void> {
  const content = { rule_files: ['alerts.yml'], evaluation_interval: '1m', tests };
  const text = heading + stringify(content, { lineWidth: 0 });
  writeFileSync(file, await format(text, { parser: 'yaml', singleQuote: true, printWidth: 100 }));
  await testRules(promtool, file);
}
