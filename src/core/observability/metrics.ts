import { Global, Injectable, Module } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** Begins the names of the service's own metrics. */
const prefix = 'integration_api_';

/** No event loop is blocked for that long, in seconds: the library's minimum of no samples is more. */
const longestLag = 1e6;

/** A value with its labels: few different ones, none of them personal or secret. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Called at each scrape; a promise of no samples leaves the metric out. */
type Read = () => number | readonly Sample[] | Promise<readonly Sample[]>;

/**
 * The metrics of one application (rule OPS-11). The code that counts creates its counter here; processes of
 * tests have several applications, so the registry is no global one.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  readonly contentType = this.registry.contentType;

  /** Makes `new Counter(...)` one of the metrics of this application, and so a gauge or a histogram. */
  options<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) {
    return { name: prefix + name, help, labelNames: [...labelNames], registers: [this.registry] };
  }

  /** Adds a gauge that is read at each scrape; a counter where the name ends with `_total`. */
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

  /** Measures the process itself from now on: event loop, garbage collection, memory, processor. */
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
        gauge.set(sample !== undefined && sample.value < longestLag ? sample.value : 0);
      };
      const gauge = new Gauge({ name, help, registers, collect });
    }
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Gives every module the metrics. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
