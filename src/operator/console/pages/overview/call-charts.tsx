import type { StepStats } from '../../../usage/usage-stats.service.js';
import type { Color } from '../../charts/bars.js';
import { StepChoice, TimeChart } from '../../charts/time-chart.js';
import type { TextKey } from '../../texts/text.js';
import { useReader } from '../page.js';
import { Card } from '../shared/parts.js';

interface CallChartProps {
  readonly series: readonly StepStats[];
}

type NumberOf = (step: StepStats) => number | null;

export function CallCharts({ series }: CallChartProps) {
  const { text, formats } = useReader();
  const [valuesOf, sum] = useSeries(series);
  return (
    <Card title={text('overview.charts')}>
      <StepChoice />
      <CallsChart series={series} />
      <TimeChart
        title={text('overview.latencyChart')}
        note={text('overview.latencyNote', { polls: sum(({ polls }) => polls) })}
        times={series.map(({ at }) => at)}
        series={[
          valuesOf('overview.p95', 'warn', ({ p95Ms }) => p95Ms),
          valuesOf('overview.median', 'accent', ({ medianMs }) => medianMs),
        ]}
        isStacked={false}
        format={formats.duration}
      />
      <TimeChart
        title={text('overview.deliveriesChart')}
        note={text('overview.deliveriesNote', {
          delivered: sum(({ deliveries }) => deliveries.delivered),
          failed: sum(({ deliveries }) => deliveries.failed),
        })}
        times={series.map(({ at }) => at)}
        series={[
          valuesOf('overview.delivered', 'good', ({ deliveries }) => deliveries.delivered),
          valuesOf('overview.undelivered', 'bad', ({ deliveries }) => deliveries.failed),
        ]}
      />
    </Card>
  );
}

export function CallsChart({ series }: CallChartProps) {
  const { text } = useReader();
  const [valuesOf, sum] = useSeries(series);
  return (
    <TimeChart
      title={text('overview.callsName')}
      note={text('overview.callsNote', {
        calls: sum(({ calls }) => calls),
        refused: sum(({ errors, failures }) => errors - failures),
        failed: sum(({ failures }) => failures),
      })}
      times={series.map(({ at }) => at)}
      series={[
        valuesOf('overview.succeeded', 'accent', ({ calls, errors }) => calls - errors),
        valuesOf('overview.refused', 'warn', ({ errors, failures }) => errors - failures),
        valuesOf('overview.failed', 'bad', ({ failures }) => failures),
      ]}
    />
  );
}

function useSeries(series: readonly StepStats[]) {
  const { text, formats } = useReader();
  const valuesOf = (name: TextKey, color: Color, of: NumberOf) => ({
    name: text(name),
    color,
    values: series.map(of),
  });
  const sum = (of: NumberOf) =>
    formats.number(series.reduce((total, step) => total + (of(step) ?? 0), 0));
  return [valuesOf, sum] as const;
}
