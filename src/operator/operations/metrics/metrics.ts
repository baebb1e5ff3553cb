import { Injectable } from '@nestjs/common';
import type { Metric, Registry } from 'prom-client';
import { withinDeadline } from '../../../core/database/connection/deadline.js';
import type { Reading, Sample, SampledDistribution } from './reading.js';

/** What the names of the service's own metrics begin with. */
const prefix = 'integration_api_';

/** How long the metrics wait for readings from the database. */
const readingTimeoutMs = 1_000;

/** The metrics in the text format of Prometheus. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** Collects what the parts of the service have registered (rule OPS-11). */
@Injectable()
export class Metrics {
  private readonly readings: Reading[] = [];
  /** What readings were asked for and have not answered yet: until then they are not asked again. */
  private readonly pending = new Map<Reading, Promise<readonly Sample[]>>();
  private registry: Promise<Registry> | undefined;

  /** Registers readings; each name once, before the metrics are asked for. */
  add(...readings: readonly Reading[]): void {
    this.readings.push(...readings);
  }

  /** All metrics as they are now; those that the database does not give within a second are left out. */
  async read(): Promise<MetricsText> {
    this.registry ??= this.createRegistry();
    const registry = await this.registry;
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  /** Loads the library only here: a process without a listener for it does without. */
  private async createRegistry(): Promise<Registry> {
    const { default: client } = await import('prom-client');
    const registry = new client.Registry();
    client.collectDefaultMetrics({ register: registry });
    for (const reading of this.readings) {
      const { help, type } = reading;
      const name = prefix + reading.name;
      const get = async () => {
        const values = await this.valuesOf(reading, name);
        return { name, help, type, values, aggregator: 'sum' };
      };
      // The library's own classes would be told of each value as it comes.
      registry.registerMetric({ name, help, get } as unknown as Metric);
    }
    return registry;
  }

  private async valuesOf(reading: Reading, name: string): Promise<readonly MetricValue[]> {
    if (reading.type === 'histogram') return reading.read().flatMap((one) => bucketsOf(one, name));
    const samples = this.pending.get(reading) ?? reading.read();
    if (!('then' in samples)) return samples.map(valueOf);
    const settled = samples.finally(() => this.pending.delete(reading));
    this.pending.set(reading, samples);
    try {
      return (await withinDeadline(settled, readingTimeoutMs)).map(valueOf);
    } catch {
      // The database is in trouble, which the probes and the log say.
      return [];
    }
  }
}

interface MetricValue {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function valueOf({ labels = {}, value }: Sample): MetricValue {
  return { labels, value };
}

function bucketsOf(
  { labels = {}, distribution }: SampledDistribution,
  name: string,
): readonly MetricValue[] {
  const buckets = distribution.cumulated();
  const [, count] = buckets.at(-1) ?? [0, 0];
  return [
    ...buckets.map(([bound, value]) => {
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : bound;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value };
    }),
    { metricName: `${name}_sum`, labels, value: distribution.sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
