import { Global, Injectable, Module } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

const prefix = 'integration_api_';

/** The library's minimum without samples is higher. */
const maxLagSeconds = 1e6;

interface Sample {
  /** Few different values, none of them personal or secret. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Called at each scrape; without samples the metric is omitted. */
type Read = () => number | readonly Sample[] | Promise<readonly Sample[]>;

/** The metrics of one application (rule OPS-11): processes of tests have several, so the registry is not global. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  readonly contentType = this.registry.contentType;

  /** Options register a counter, gauge or histogram of this application. */
  options<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) {
    return { name: prefix + name, help, labelNames: [...labelNames], registers: [this.registry] };
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

  measureProcess(): void {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    for (const statistic of ['min', 'mean', 'stddev']) {
      const name = `nodejs_eventloop_lag_${statistic}_seconds`;
      const original = this.registry.getSingleMetric(name);
      const help = `Event loop lag since the last scrape (${statistic}), 0 without samples.`;
      this.registry.removeSingleMetric(name);
      // `nodejs_eventloop_lag_seconds`, which is collected before, still sets the original: to NaN or
      // 9223372036 when nothing was sampled since the last scrape.
      const collect = async () => {
        const [sample] = (await original?.get())?.values ?? [];
        gauge.set(sample !== undefined && sample.value < maxLagSeconds ? sample.value : 0);
      };
      const gauge = new Gauge({ name, help, registers, collect });
    }
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}

@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
