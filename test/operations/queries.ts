import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

export function alertRules(): AlertRule[] {
  const file = parse(readFileSync('ops/alerts.yml', 'utf8')) as {
    groups: { rules: AlertRule[] }[];
  };
  return file.groups.flatMap(({ rules }) => rules);
}

export function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync('ops/dashboard.json', 'utf8')) as Dashboard;
  const targets = panels.flatMap(({ targets: all = [] }) => all);
  return targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
}

/**
 * The faults of a query: unknown metrics, and labels that a metric does not have.
 *
 * @param labels of each metric
 */
export function problemsOf(query: string, labels: ReadonlyMap<string, ReadonlySet<string>>) {
  const problems = new Set<string>();
  const used: string[] = [];
  const grouped: string[] = [];
  const has = (metric: string, label: string) =>
    // Added by Prometheus itself.
    ['instance', 'job'].includes(label) || labels.get(metric)?.has(label) === true;
  parser.parse(query).iterate({
    enter: ({ type, node, from, to }) => {
      const text = query.slice(from, to);
      if (type.isError) problems.add(`no PromQL: ${query}`);
      if (type.name === 'VectorSelector') {
        const name = /^\w*/.exec(text)?.[0] ?? '';
        used.push(name);
        if (!labels.has(name) && name !== 'up') problems.add(`${name} is no metric`);
      }
      if (type.name !== 'LabelName') return;
      const metric = used.at(-1) ?? '';
      if (node.parent?.name === 'GroupingLabels') grouped.push(text);
      else if (!has(metric, text)) problems.add(`${metric} has no label ${text}`);
    },
  });
  for (const label of grouped) {
    if (!used.some((name) => has(name, label))) problems.add(`no metric has the label ${label}`);
  }
  return [...problems];
}
