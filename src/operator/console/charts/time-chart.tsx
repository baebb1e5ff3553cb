import { scaleLinear, scaleUtc } from 'd3-scale';
import { area } from 'd3-shape';
import type { Formats } from '../texts/formats.js';
import { ChartFrame, type ChartTexts, type Color, colors, Legend } from './chart-frame.js';

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
  const isStacked = kind === 'stacked';
  const layers = layersOf(series, times.length, isStacked);
  const most = Math.max(1, ...layers.flatMap(({ tops }) => tops));
  const [first = new Date(0), last = first] = [times[0], times.at(-1)];
  const x = scaleUtc([first, last], [margin.left, width - margin.right]);
  const y = scaleLinear([0, most], [height - margin.bottom, margin.top]).nice(4);
  return (
    <figure>
      <ChartFrame id={id} width={width} height={height} texts={texts}>
        {y.ticks(4).map((tick) => (
          <g key={tick}>
            <path class="grid" d={`M${margin.left} ${y(tick)}H${width - margin.right}`} />
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
        {layers.map(({ name, color, values, bottoms, tops }) => {
          const shape = area<Date>()
            .digits(1)
            .defined((_, index) => isStacked || typeof values[index] === 'number')
            .x((time) => x(time))
            .y0((_, index) => y(bottoms[index] ?? 0))
            .y1((_, index) => y(tops[index] ?? 0));
          return isStacked ? (
            <path key={name} fill={colors[color]} d={shape(times) ?? ''} />
          ) : (
            <path key={name} class="line" stroke={colors[color]} d={shape.lineY1()(times) ?? ''} />
          );
        })}
      </ChartFrame>
      <Legend entries={series} />
    </figure>
  );
}

/** Where each series begins and ends: on the one before where they are stacked. */
function layersOf(series: readonly Series[], length: number, isStacked: boolean) {
  let sums = Array.from({ length }, () => 0);
  return series.map((one) => {
    const bottoms = sums;
    const tops = bottoms.map((bottom, index) => bottom + (one.values[index] ?? 0));
    if (isStacked) sums = tops;
    return { ...one, bottoms, tops };
  });
}
