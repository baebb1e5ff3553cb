export interface MetricLine {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns the lines of Prometheus' text format that have a value. */
export function metricLines(text: string): MetricLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const match = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (match === null) throw new Error(`Not a metric: ${line}`);
      const [, name = '', labels = '', value = ''] = match;
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, label]) => [key, label]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: +value };
    });
}

export function metricTypes(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
}

/** Returns the sum of a metric's values with these labels, or undefined when it has none. */
export function valueOf(
  lines: readonly MetricLine[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const matching = lines.filter(
    (line) =>
      line.name === name &&
      Object.entries(labels).every(([key, value]) => line.labels[key] === value),
  );
  return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0);
}

/** Reads a metric of an application in this process. */
export async function valueIn(
  metrics: { text(): Promise<string> },
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  return valueOf(metricLines(await metrics.text()), `integration_api_${name}`, labels);
}

export async function cacheMetrics(metrics: { text(): Promise<string> }) {
  const lines = metricLines(await metrics.text());
  const value = (name: string) => valueOf(lines, `integration_api_cache_${name}`) ?? 0;
  return {
    hits: value('hits_total'),
    misses: value('misses_total'),
    evictions: value('evictions_total'),
    entries: value('entries'),
    bytes: value('bytes'),
  };
}
