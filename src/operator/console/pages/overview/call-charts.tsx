import type { TimeStep } from '../../../usage/time-steps.js';
import type { StepStats } from '../../../usage/usage-stats.service.js';
import { StepChoice, TimeChart } from '../../charts/time-chart.js';
import type { PageRequest } from '../page.js';
import { Card } from '../shared/parts.js';

interface Shown {
  readonly request: PageRequest;
  readonly step: TimeStep;
  readonly series: readonly StepStats[];
}

/** Calls, their latency, and deliveries of webhooks over time. */
export function CallCharts({ request, step, series }: Shown) {
  const { text, formats } = request;
  const chart = { request, step, times: series.map(({ at }) => at) };
  const sum = (of: (one: StepStats) => number) =>
    formats.number(series.reduce((total, one) => total + of(one), 0));
  return (
    <Card title={text('overview.charts')}>
      <StepChoice request={request} step={step} />
      <CallsChart {...{ request, step, series }} />
      <TimeChart
        {...chart}
        title={text('overview.latencyChart')}
        note={text('overview.latencyNote', { polls: sum(({ polls }) => polls) })}
        isStacked={false}
        format={formats.milliseconds}
        series={[
          {
            name: text('overview.p95'),
            color: 'warn',
            values: series.map(({ p95Ms }) => p95Ms),
          },
          {
            name: text('overview.median'),
            color: 'accent',
            values: series.map(({ medianMs }) => medianMs),
          },
        ]}
      />
      <TimeChart
        {...chart}
        title={text('overview.deliveriesChart')}
        note={text('overview.deliveriesNote', {
          delivered: sum(({ deliveries }) => deliveries.delivered),
          failed: sum(({ deliveries }) => deliveries.failed),
        })}
        series={[
          {
            name: text('overview.delivered'),
            color: 'good',
            values: series.map(({ deliveries }) => deliveries.delivered),
          },
          {
            name: text('overview.undelivered'),
            color: 'bad',
            values: series.map(({ deliveries }) => deliveries.failed),
          },
        ]}
      />
    </Card>
  );
}

/** Calls by what became of them: of all keys, or of one. */
export function CallsChart({ request, step, series }: Shown) {
  const { text, formats } = request;
  const sum = (of: (one: StepStats) => number) =>
    formats.number(series.reduce((total, one) => total + of(one), 0));
  return (
    <TimeChart
      {...{ request, step }}
      title={text('overview.callsName')}
      note={text('overview.callsNote', {
        calls: sum(({ calls }) => calls),
        refused: sum(({ errors, failures }) => errors - failures),
        failed: sum(({ failures }) => failures),
      })}
      times={series.map(({ at }) => at)}
      series={[
        {
          name: text('overview.succeeded'),
          color: 'accent',
          values: series.map(({ calls, errors }) => calls - errors),
        },
        {
          name: text('overview.refused'),
          color: 'warn',
          values: series.map(({ errors, failures }) => errors - failures),
        },
        {
          name: text('overview.failed'),
          color: 'bad',
          values: series.map(({ failures }) => failures),
        },
      ]}
    />
  );
}
