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

/** Returns the names of the metrics that alert rules query. */
export function queriedMetrics(): string[] {
  return alertRules().flatMap(({ expr }) => {
    const names: string[] = [];
    parser.parse(expr).iterate({
      enter: ({ type, from, to }) => {
        if (type.name === 'VectorSelector') names.push(metricIn(expr.slice(from, to)));
      },
    });
    return names;
  });
}

export function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync('ops/dashboard.json', 'utf8')) as Dashboard;
  const targets = panels.flatMap(({ targets: all = [] }) => all);
  return targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
}

/** Returns unknown metrics of a query, and labels that none of its metrics has. */
export function queryProblems(query: string, labels: ReadonlyMap<string, ReadonlySet<string>>) {
  // Prometheus adds these labels itself.
  const known = new Set(['instance', 'job']);
  const problems: string[] = [];
  const used: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from, to }) => {
      const text = query.slice(from, to);
      if (type.isError) problems.push(`not PromQL: ${query}`);
      if (type.name === 'LabelName') used.push(text);
      if (type.name !== 'VectorSelector') return;
      const name = metricIn(text);
      if (!labels.has(name) && name !== 'up') problems.push(`${name} is not a metric`);
      for (const label of labels.get(name) ?? []) known.add(label);
    },
  });
  const unknown = used.filter((label) => !known.has(label));
  return [...problems, ...unknown.map((label) => `no metric has the label ${label}`)];
}

function metricIn(selector: string): string {
  return /^\w*/.exec(selector)?.[0] ?? '';
}
