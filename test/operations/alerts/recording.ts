import { queriedMetrics } from '../queries.js';
import { metricLines, metricTypes } from '../metrics-text.js';

/** A scrape target: the address of its operations listener, or null once service discovery no longer returns it. */
export type Targets = Readonly<Record<string, string | null>>;

/** A series in the notation of promtool's rule tests. */
export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

type Sample = number | 'stale' | null;

/** Prometheus drops these endings of a metric's name in its type. */
const sampleSuffix = /_(?:bucket|count|sum)$/;
const job = 'integration-api';

/**
 * Scrapes a service as Prometheus does, once in each minute of the service's clock, and keeps the metrics that alert
 * rules query.
 */
export class Recording {
  private readonly samples = new Map<string, Sample[]>();
  private readonly counters = new Set<string>();
  private readonly names = new Set(queriedMetrics());
  /** Number of scrapes, so the first one is at minute 0. */
  minutes = 0;

  async scrape(targets: Targets): Promise<void> {
    const scraped = await Promise.all(
      Object.entries(targets).map(async ([instance, address]) => ({
        instance,
        isTarget: address !== null,
        text: address === null ? null : await metricsOf(address),
      })),
    );
    const minute = this.minutes++;
    const seen = new Set<string>();
    for (const { instance, isTarget, text } of scraped) {
      if (isTarget) this.add(seriesOf('up', { instance }), Number(text !== null), seen);
      if (text !== null) this.addMetrics(text, instance, seen);
    }
    for (const [series, samples] of this.samples) {
      if (!seen.has(series)) samples.push(typeof samples.at(-1) === 'number' ? 'stale' : null);
    }
    if (minute !== this.minutes - 1) throw new Error('Scrapes must not overlap.');
  }

  async scrapeOften(times: number, targets: Targets): Promise<void> {
    for (let time = 0; time < times; time++) await this.scrape(targets);
  }

  /**
   * Continues the last minute of these metrics: gauges keep their values, and counters grow as they did between the
   * last two scrapes. Other metrics end, because a busy machine may have affected their last values.
   */
  hold(minutes: number, ...metrics: readonly string[]): void {
    this.minutes += minutes;
    for (const [series, samples] of this.samples) {
      const isHeld = ['up', ...metrics].some((name) => series.startsWith(name));
      if (!isHeld) {
        samples.push(...Array.from({ length: minutes }, () => null));
        continue;
      }
      const [before, last] = samples.slice(-2);
      const growth =
        this.counters.has(series) && typeof before === 'number' && typeof last === 'number'
          ? last - before
          : 0;
      for (let minute = 1; minute <= minutes; minute++) {
        samples.push(typeof last === 'number' ? last + minute * growth : null);
      }
    }
  }

  inputSeries(): InputSeries[] {
    return [...this.samples].map(([series, samples]) => ({ series, values: notationOf(samples) }));
  }

  /** Returns the names of labels by metric. */
  shapes(): ReadonlyMap<string, readonly string[]> {
    const shapes = new Map<string, string[]>();
    for (const series of this.samples.keys()) {
      const name = /^\w+/.exec(series)?.[0] ?? '';
      const labels = [...series.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
      shapes.set(name, [...new Set([...(shapes.get(name) ?? []), ...labels])]);
    }
    return shapes;
  }

  private addMetrics(text: string, instance: string, seen: Set<string>): void {
    const types = metricTypes(text);
    for (const { name, labels, value } of metricLines(text)) {
      if (!this.names.has(name)) continue;
      const series = seriesOf(name, { ...labels, instance });
      const type = types.get(name) ?? types.get(name.replace(sampleSuffix, ''));
      if (type !== 'gauge') this.counters.add(series);
      this.add(series, Number(value.toFixed(3)), seen);
    }
  }

  private add(series: string, value: number, seen: Set<string>): void {
    const samples =
      this.samples.get(series) ?? Array.from({ length: this.minutes - 1 }, () => null);
    samples.push(value);
    this.samples.set(series, samples);
    seen.add(series);
  }
}

/** @returns null if the target does not respond */
async function metricsOf(address: string): Promise<string | null> {
  try {
    const response = await fetch(`${address}/metrics`);
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function seriesOf(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries({ ...labels, job }).map(([key, value]) => `${key}="${value}"`);
  return `${name}{${pairs.join(', ')}}`;
}

/** Writes a run of samples with a constant difference as `first+differencexcount`. */
function notationOf(samples: readonly Sample[]): string {
  const parts: string[] = [];
  for (let start = 0; start < samples.length;) {
    const first = samples[start] ?? null;
    const difference = differenceAt(samples, start);
    let end = start + 1;
    while (end < samples.length && differenceAt(samples, end - 1) === difference) end++;
    const count = difference === null ? 0 : end - 1 - start;
    parts.push(partOf(first, difference ?? 0, count));
    start += count + 1;
  }
  return parts.join(' ');
}

/** Returns null where no run can continue. */
function differenceAt(samples: readonly Sample[], index: number): number | null {
  const [sample, next] = [samples[index] ?? null, samples[index + 1] ?? null];
  if (sample === null && next === null && index + 1 < samples.length) return 0;
  if (typeof sample !== 'number' || typeof next !== 'number') return null;
  const difference = next - sample;
  return difference === 0 || (Number.isInteger(sample) && Number.isInteger(next))
    ? difference
    : null;
}

function partOf(first: Sample, difference: number, count: number): string {
  if (first === null) return count === 0 ? '_' : `_x${count + 1}`;
  if (first === 'stale' || count === 0) return String(first);
  if (difference === 0) return `${first}x${count}`;
  return `${first}${difference < 0 ? '' : '+'}${difference}x${count}`;
}
