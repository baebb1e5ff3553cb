import { scaleQuantize } from 'd3-scale';
import type { Formats } from '../texts/formats.js';
import { ChartFrame, type ChartTexts } from './chart-frame.js';

/** From few to most. */
const heat = ['#c6dbef', '#8fbbdf', '#5596ca', '#2a6fac', '#0b3d70'];
const hours = 24;
const days = 7;

/** A value for each hour of the week. */
export interface WeekHeatMapProps {
  /** Once in a page. */
  readonly id: string;
  readonly texts: ChartTexts;
  /** 168, from Monday 00:00 on. */
  readonly week: readonly number[];
  readonly formats: Formats;
  /** `small`: without names of days and hours. */
  readonly size: 'small' | 'large';
}

/** The week as rows of days and columns of hours; the darker, the more. */
export function WeekHeatMap({ id, texts, week, formats, size }: WeekHeatMapProps) {
  const isSmall = size === 'small';
  const cell = isSmall ? { width: 5, height: 5 } : { width: 32, height: 24 };
  const left = isSmall ? 0 : 56;
  const bottom = isSmall ? 0 : 24;
  const width = left + hours * cell.width;
  const height = days * cell.height + bottom;
  const colorOf = scaleQuantize([0, Math.max(...week)], heat);
  const busy = [...week.entries()].filter(([, value]) => value > 0);
  // One path for all cells of a colour: a week has 168.
  const byColor = Map.groupBy(busy, ([, value]) => colorOf(value));
  const cellPath = ([hour]: readonly [number, number]) => {
    const [x, y] = [left + (hour % hours) * cell.width, Math.floor(hour / hours) * cell.height];
    return `M${x} ${y}h${cell.width - 1}v${cell.height - 1}h${1 - cell.width}z`;
  };
  return (
    <ChartFrame id={id} width={width} height={height} texts={texts}>
      <rect fill="#eef2f6" x={left} width={hours * cell.width} height={days * cell.height} />
      {[...byColor].map(([color, cells]) => (
        <path key={color} fill={color} d={cells.map(cellPath).join('')} />
      ))}
      {!isSmall && (
        <>
          {Array.from({ length: days }, (_, day) => (
            <text key={day} class="tick end" x={left - 8} y={day * cell.height + 17}>
              {formats.weekday(day)}
            </text>
          ))}
          {Array.from({ length: hours / 3 }, (_, index) => (
            <text
              key={index}
              class="tick middle"
              x={left + (index * 3 + 0.5) * cell.width}
              y={height - 6}
            >
              {index * 3}
            </text>
          ))}
        </>
      )}
    </ChartFrame>
  );
}
