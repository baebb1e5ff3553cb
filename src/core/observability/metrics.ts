import { Global, Injectable, Module } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const prefix = 'integration_api_';

/** Without a sample since the last scrape, Node reports NaN, or a minimum of centuries. */
const missingLag = /^(nodejs_eventloop_lag_\w+_seconds) (?:Nan|\d{7}.*)$/gm;

interface Sample {
  /** Values must be few, and neither personal nor secret. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Runs at each scrape. A metric without samples is omitted. */
type Read = () => number | readonly Sample[] | Promise<readonly Sample[]>;

/** A process of tests has several applications, so the registry is not global (rule OPS-11). */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  readonly contentType = this.registry.contentType;

  counter<Label extends string = never>(name: string, help: string, labels?: readonly Label[]) {
    return new Counter(this.options(name, help, labels));
  }

  gauge<Label extends string = never>(name: string, help: string, labels?: readonly Label[]) {
    return new Gauge(this.options(name, help, labels));
  }

  histogram<Label extends string = never>(
    name: string,
    help: string,
    bounds: readonly number[],
    labels?: readonly Label[],
  ) {
    return new Histogram({ ...this.options(name, help, labels), buckets: [...bounds] });
  }

  /** Adds a gauge, or a counter if the name ends with `_total`. */
  collect(name: string, help: string, read: Read, labelNames: readonly string[] = []): void {
    const collect = async () => {
      const values = await read();
      const samples = typeof values === 'number' ? [{ labels: {}, value: values }] : values;
      metric.reset();
      if (samples.length === 0 && labelNames.length === 0) metric.remove();
      for (const { labels, value } of samples) metric.inc(labels, value);
    };
    const options = { ...this.options(name, help, labelNames), collect };
    const metric = name.endsWith('_total') ? new Counter(options) : new Gauge(options);
  }

  private options<Label extends string>(name: string, help: string, labels: readonly Label[] = []) {
    return { name: prefix + name, help, labelNames: [...labels], registers: [this.registry] };
  }

  measureProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  async text(): Promise<string> {
    const text = await this.registry.metrics();
    return text.replace(missingLag, '$1 0');
  }
}

@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
