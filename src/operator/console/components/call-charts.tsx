import type { ChartRange } from '../../usage/chart-ranges.js';
import type { UsagePoint } from '../../usage/usage.service.js';
import { Chart, type ChartSeries } from './chart.js';
import { Card } from './components.js';

const callSeries: readonly ChartSeries<UsagePoint>[] = [
  {
    name: 'Succeeded',
    severity: 'note',
    of: ({ calls, refused, failed }) => calls - refused - failed,
  },
  { name: 'Refused (4xx)', severity: 'warn', of: ({ refused }) => refused },
  { name: 'Failed (5xx)', severity: 'bad', of: ({ failed }) => failed },
];

const latencySeries: readonly ChartSeries<UsagePoint>[] = [
  { name: '95th percentile', severity: 'warn', of: ({ p95Ms }) => p95Ms },
  { name: 'Median', severity: 'note', of: ({ medianMs }) => medianMs },
];

export function CallCharts({
  of = '',
  range,
  points,
}: {
  /** Ends the titles, such as ` of POST /leads`. */
  readonly of?: string;
  readonly range: ChartRange;
  readonly points: readonly UsagePoint[];
}) {
  return (
    <>
      <Card title={`Calls${of}`} note="UTC">
        <Chart label="Calls" range={range} points={points} series={callSeries} />
      </Card>
      <Card title={`Response times${of}`} note="UTC, without long polls of the feed">
        <Chart
          label="Response times"
          range={range}
          points={points}
          series={latencySeries}
          kind="line"
          unit="duration"
        />
      </Card>
    </>
  );
}
