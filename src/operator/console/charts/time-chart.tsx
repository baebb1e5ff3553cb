import { scaleLinear, scaleUtc } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { Formats } from '../texts/formats.js';
import { ChartFrame, type ChartTexts, type Color, Legend } from './chart-frame.js';

/** What is drawn over time. */
export interface Series {
  readonly name: string;
  readonly color: Color;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** A chart over time. */
export interface TimeChartProps {
  /** Once in a page. */
  readonly id: string;
  readonly texts: ChartTexts;
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  /** `stacked`: areas on one another; `lines`: each by itself. */
  readonly kind: 'stacked' | 'lines';
  readonly formats: Formats;
  readonly height?: number;
}

const width = 960;
const margin = { top: 8, right: 12, bottom: 24, left: 56 };

/** Lines or areas over time, with what the colours mean. */
export function TimeChart({
  id,
  texts,
  times,
  series,
  kind,
  formats,
  height = 220,
}: TimeChartProps) {
  const [first = new Date(0), last = first] = [times[0], times.at(-1)];
  const x = scaleUtc([first, last], [margin.left, width - margin.right]);
  const most = kind === 'stacked' ? highestSum(series, times.length) : highest(series);
  const y = scaleLinear([0, Math.max(1, most)], [height - margin.bottom, margin.top]).nice(4);
  const paths =
    kind === 'stacked' ? stackedPaths(series, times, x, y) : linePaths(series, times, x, y);
  return (
    <figure>
      <ChartFrame id={id} width={width} height={height} texts={texts}>
        {y.ticks(4).map((tick) => (
          <g key={tick}>
            <line
              class="grid"
              x1={margin.left}
              x2={width - margin.right}
              y1={y(tick)}
              y2={y(tick)}
            />
            <text class="tick end" x={margin.left - 8} y={y(tick) + 4}>
              {formats.number(tick)}
            </text>
          </g>
        ))}
        {x.ticks(8).map((tick) => (
          <text key={tick} class="tick middle" x={x(tick)} y={height - 6}>
            {formats.clock(tick)}
          </text>
        ))}
        {paths.map(({ name, color, path }) => (
          <path
            key={name}
            class={kind === 'stacked' ? `fill-${color}` : `line-${color}`}
            d={path}
          />
        ))}
      </ChartFrame>
      <Legend entries={series} />
    </figure>
  );
}

type Scale<T> = (value: T) => number;

interface Path {
  readonly name: string;
  readonly color: Color;
  readonly path: string;
}

function linePaths(
  series: readonly Series[],
  times: readonly Date[],
  x: Scale<Date>,
  y: Scale<number>,
): Path[] {
  return series.map(({ name, color, values }) => {
    const make = line<Date>()
      .defined((_, index) => typeof values[index] === 'number')
      .x((time) => rounded(x(time)))
      .y((_, index) => rounded(y(values[index] ?? 0)));
    return { name, color, path: make(times) ?? '' };
  });
}

function stackedPaths(
  series: readonly Series[],
  times: readonly Date[],
  x: Scale<Date>,
  y: Scale<number>,
): Path[] {
  const bottoms = times.map(() => 0);
  return series.map(({ name, color, values }) => {
    const make = area<Date>()
      .x((time) => rounded(x(time)))
      .y0((_, index) => rounded(y(bottoms[index] ?? 0)))
      .y1((_, index) => rounded(y((bottoms[index] ?? 0) + (values[index] ?? 0))));
    const path = make(times) ?? '';
    for (const [index, value] of values.entries()) {
      bottoms[index] = (bottoms[index] ?? 0) + (value ?? 0);
    }
    return { name, color, path };
  });
}

function highest(series: readonly Series[]): number {
  return series.reduce(
    (most, { values }) => values.reduce<number>((top, value) => Math.max(top, value ?? 0), most),
    0,
  );
}

function highestSum(series: readonly Series[], length: number): number {
  let most = 0;
  for (let index = 0; index < length; index++) {
    most = Math.max(
      most,
      series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
    );
  }
  return most;
}

/** A tenth of a pixel says enough. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
