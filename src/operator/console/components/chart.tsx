import type { ChartRange } from '../../usage/chart-ranges.js';
import type { Severity } from '../../views/view-field.js';
import type { RenderContext } from '../page.js';
import { Choices, chosenOf } from './filters.js';
import { formatClock, formatDay, formatDuration, formatNumber } from './formats.js';
import { Table } from './tables.js';

const rangeChoices = [
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: '7 days' },
  { value: 'month', label: '28 days' },
] as const satisfies readonly { value: ChartRange; label: string }[];

export function rangeOf(context: Pick<RenderContext, 'query'>): ChartRange {
  return chosenOf(context, 'range', rangeChoices);
}

export function RangeChoices({ also }: { readonly also?: readonly string[] }) {
  return <Choices name="range" label="Time range" choices={rangeChoices} {...(also && { also })} />;
}

export interface ChartSeries<Point> {
  readonly name: string;
  readonly severity: Severity;
  readonly of: (point: Point) => number | null;
}

interface ChartProps<Point> {
  readonly label: string;
  readonly range: ChartRange;
  /** The oldest first. */
  readonly points: readonly Point[];
  readonly series: readonly ChartSeries<NoInfer<Point>>[];
  /** Bars are stacked; lines are not. */
  readonly kind?: 'bar' | 'line';
  readonly unit?: 'count' | 'duration';
}

/** The script draws it; a table has the same values. */
export function Chart<Point extends { readonly at: Date }>({
  label,
  range,
  points,
  series,
  kind = 'bar',
  unit = 'count',
}: ChartProps<Point>) {
  const format = unit === 'duration' ? formatDuration : formatNumber;
  const drawn = {
    kind,
    unit,
    labels: points.map(({ at }) => labelOf(range, at)),
    series: series.map(({ name, severity, of }) => ({ name, severity, values: points.map(of) })),
  };
  const withValues = points.filter((point) => series.some(({ of }) => (of(point) ?? 0) > 0));
  if (withValues.length === 0) return <p class="text-secondary mb-0">Nothing in this time.</p>;
  return (
    <>
      <div class="plot">
        <canvas data-chart={JSON.stringify(drawn)} role="img" aria-label={label} />
      </div>
      <details class="mt-2">
        <summary>As a table</summary>
        <Table
          label={label}
          fields={[
            { title: 'Time (UTC)', show: ({ at }) => labelOf(range, at) },
            ...series.map(({ name, of }) => ({
              title: name,
              isNumber: true as const,
              show: (point: Point) => format(of(point)),
            })),
          ]}
          items={withValues.toReversed()}
        />
      </details>
    </>
  );
}

function labelOf(range: ChartRange, at: Date): string {
  if (range === 'month') return formatDay(at);
  return range === 'week' ? `${formatDay(at)} ${formatClock(at)}` : formatClock(at);
}
