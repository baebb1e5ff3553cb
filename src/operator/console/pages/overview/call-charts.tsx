import type { StepStats } from '../../../usage/usage-stats.service.js';
import { StepChoice, TimeChart } from '../../charts/time-chart.js';
import { useReader } from '../page.js';
import { Card } from '../shared/parts.js';

interface CallChartProps {
  readonly series: readonly StepStats[];
}

export function CallCharts({ series }: CallChartProps) {
  const { text, formats } = useReader();
  const polls = series.reduce((sum, step) => sum + step.polls, 0);
  return (
    <Card title={text('overview.charts')}>
      <StepChoice />
      <CallsChart series={series} />
      <TimeChart
        title={text('overview.latencyChart')}
        note={text('overview.latencyNote', { polls })}
        steps={series}
        lines={[
          { name: text('overview.p95'), color: 'warn', of: ({ p95Ms }) => p95Ms },
          { name: text('overview.median'), color: 'accent', of: ({ medianMs }) => medianMs },
        ]}
        isStacked={false}
        format={formats.duration}
      />
      <TimeChart
        title={text('overview.deliveriesChart')}
        steps={series}
        lines={[
          {
            name: text('delivery.delivered'),
            color: 'good',
            of: ({ deliveries }) => deliveries.delivered,
          },
          {
            name: text('delivery.failed'),
            color: 'bad',
            of: ({ deliveries }) => deliveries.failed,
          },
        ]}
      />
    </Card>
  );
}

export function CallsChart({ series }: CallChartProps) {
  const { text } = useReader();
  return (
    <TimeChart
      title={text('overview.callsName')}
      steps={series}
      lines={[
        {
          name: text('overview.succeeded'),
          color: 'accent',
          of: ({ calls, errors }) => calls - errors,
        },
        {
          name: text('overview.refused'),
          color: 'warn',
          of: ({ errors, failures }) => errors - failures,
        },
        { name: text('overview.failed'), color: 'bad', of: ({ failures }) => failures },
      ]}
    />
  );
}
