import { type ChartInterval, chartIntervals } from '../../usage/chart-intervals.js';
import { type RenderContext, useRenderContext } from '../pages/page.js';
import { Table, type FieldLabel, titleOf } from '../pages/shared/tables.js';
import { Link } from '../pages/shared/components.js';
import type { TextKey } from '../texts/text.js';
import { Bars, type Color, highestOf } from './bars.js';

const intervalNames = Object.keys(chartIntervals) as readonly ChartInterval[];
/** Charts of fewer intervals are narrow: a single bar would fill the page. */
const maxSparseIntervals = 12;
/** Positions of time labels as shares of the width. */
const ticks = [0, 0.25, 0.5, 0.75, 1];

export function intervalOf({ query }: Pick<RenderContext, 'query'>): ChartInterval {
  return intervalNames.find((interval) => interval === query['by']) ?? 'quarter';
}

export function IntervalNav() {
  const context = useRenderContext();
  const { text, path } = context;
  return (
    <nav class="steps" aria-label={text('chart.by')}>
      <ul>
        {intervalNames.map((interval) => (
          <li key={interval}>
            <Link
              to={`${path === '/' ? '' : path}?by=${interval}`}
              current={interval === intervalOf(context) && 'true'}
            >
              {text(`chart.by.${interval}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export type ChartSeries<Interval> = FieldLabel & {
  readonly color: Color;
  readonly of: (interval: Interval) => number | null;
};

/**
 * Shows values by the interval in the address, the newest at the right, as bars that scripts make interactive and as a
 * table. Begins with the first interval that has a value.
 */
export function TimeChart<Interval extends { readonly at: Date }>({
  title,
  note,
  data,
  series,
  isStacked = true,
  format,
}: {
  readonly title: TextKey;
  /** Defaults to the sums of stacked values. */
  readonly note?: string;
  readonly data: readonly Interval[];
  readonly series: readonly ChartSeries<NoInfer<Interval>>[];
  /** True if the values of an interval add up. */
  readonly isStacked?: boolean;
  readonly format?: (value: number | null) => string;
}) {
  const context = useRenderContext();
  const { text, formats } = context;
  const formatValue = format ?? formats.number;
  const first = data.findIndex((interval) => series.some(({ of }) => (of(interval) ?? 0) > 0));
  const name = text(title);
  if (first === -1) {
    return (
      <figure class="chart">
        <h3>{name}</h3>
        <p class="note">{text('chart.nothing')}</p>
      </figure>
    );
  }
  const shown = data.slice(first);
  const last = shown.length - 1;
  const drawn = series.map((one) => ({
    name: titleOf(one, context),
    color: one.color,
    values: shown.map(one.of),
  }));
  const sums = drawn.map((one) => {
    const sum = one.values.reduce<number>((total, value) => total + (value ?? 0), 0);
    return `${one.name} ${formats.number(sum)}`;
  });
  const highest = roundUp(highestOf(drawn, isStacked));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{name}</h3>
        <p class="note">{note ?? sums.join(' · ')}</p>
      </figcaption>
      <ul class="legend">
        <li>
          <span>{intervalTime(context, shown[last]?.at)}</span>
        </li>
        {drawn.map((one) => (
          <li key={one.name}>
            <span class={one.color} aria-hidden="true">
              ■
            </span>
            {` ${one.name} `}
            <b>{formatValue(one.values[last] ?? null)}</b>
          </li>
        ))}
      </ul>
      <div class={last < maxSparseIntervals ? 'plot few' : 'plot'}>
        <span class="note">{formatValue(highest)}</span>
        <Bars series={drawn} isStacked={isStacked} highest={highest} marked={last} />
        <input type="range" max={last} value={last} aria-label={name} autocomplete="off" />
        <div class="ticks" aria-hidden="true">
          {[...new Set(ticks.map((share) => Math.round(share * last)))].map((mark) => (
            <span key={mark}>{labelOf(context, shown[mark]?.at)}</span>
          ))}
        </div>
      </div>
      <details>
        <summary>{text('chart.table')}</summary>
        <Table
          title={name}
          fields={[
            { title: 'shared.when', show: ({ at }) => intervalTime(context, at) },
            ...series.map((one) => ({
              ...one,
              isNumber: true as const,
              show: (interval: Interval) => formatValue(one.of(interval)),
            })),
          ]}
          items={shown.toReversed()}
        />
      </details>
    </figure>
  );
}

/** Days are UTC and must not be converted to local time. */
function intervalTime(context: RenderContext, at: Date | undefined) {
  const label = labelOf(context, at);
  const isClock = ['quarter', 'hour'].includes(intervalOf(context));
  return isClock ? <time dateTime={at?.toISOString()}>{label}</time> : label;
}

function labelOf(context: RenderContext, at = new Date(0)): string {
  const { formats } = context;
  const interval = intervalOf(context);
  if (interval === 'day' || interval === 'week') return formats.day(at);
  return interval === 'hour' ? `${formats.day(at)} ${formats.clock(at)}` : formats.clock(at);
}

/** Rounds up to 1, 2, 5, 10, 20 and so on. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((digit) => value <= digit * power) ?? 10);
}
