import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

/** A query of the metrics, and where it stands. */
export interface Query {
  readonly from: string;
  readonly query: string;
}

export interface AlertRule {
  readonly name: string;
  readonly query: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

interface RuleTestFile {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts?: readonly unknown[];
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

/** Added by Prometheus itself. */
const scrapedMetrics: ReadonlySet<string> = new Set(['up']);
const scrapedLabels: readonly string[] = ['instance', 'job'];

export function alertRules(): AlertRule[] {
  const { groups } = parse(readFileSync('ops/alerts.yml', 'utf8')) as RuleFile;
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert: name, expr: query, annotations }) => ({ name, query, annotations })),
  );
}

/** How often the rules' own tests expect each alert to fire, and not to. */
export function alertTests(): ReadonlyMap<string, { firing: number; silent: number }> {
  const { tests } = parse(readFileSync('ops/alerts.test.yml', 'utf8')) as RuleTestFile;
  const counts = new Map<string, { firing: number; silent: number }>();
  for (const { alertname, exp_alerts = [] } of tests.flatMap((one) => one.alert_rule_test)) {
    const { firing, silent } = counts.get(alertname) ?? { firing: 0, silent: 0 };
    const isFiring = exp_alerts.length > 0;
    counts.set(alertname, {
      firing: firing + Number(isFiring),
      silent: silent + Number(!isFiring),
    });
  }
  return counts;
}

export function dashboardQueries(): Query[] {
  const { panels } = JSON.parse(readFileSync('ops/dashboard.json', 'utf8')) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ from: title, query: expr.replaceAll('$__rate_interval', '5m') })),
  );
}

/**
 * The faults of a query: unknown metrics, and labels that a metric does not have.
 *
 * @param labels of each metric
 */
export function problemsOf(
  query: string,
  labels: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const problems: string[] = [];
  const used: string[] = [];
  const grouped: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, node, from, to }) => {
      if (type.isError) problems.push('is no PromQL');
      const text = query.slice(from, to);
      if (type.name === 'VectorSelector') {
        const name = nameOf(text);
        used.push(name);
        if (!labels.has(name) && !scrapedMetrics.has(name)) problems.push(`${name} is no metric`);
      }
      if (type.name === 'LabelName' && node.parent?.name === 'UnquotedLabelMatcher') {
        const name = used.at(-1) ?? '';
        if (!hasLabel(name, text, labels)) problems.push(`${name} has no label ${text}`);
      }
      if (type.name === 'LabelName' && node.parent?.name === 'GroupingLabels') grouped.push(text);
    },
  });
  for (const label of grouped) {
    const isKnown = used.some((name) => hasLabel(name, label, labels));
    if (!isKnown) problems.push(`no metric of it has the label ${label}`);
  }
  return [...new Set(problems)];
}

function nameOf(selector: string): string {
  return /^\w+/.exec(selector)?.[0] ?? selector;
}

function hasLabel(
  metric: string,
  label: string,
  labels: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  return scrapedLabels.includes(label) || labels.get(metric)?.has(label) === true;
}
