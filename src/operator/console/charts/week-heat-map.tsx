import { scaleThreshold } from 'd3-scale';
import type { Formats } from '../texts/formats.js';
import { ChartFrame, type ChartTexts } from './chart-frame.js';

const levels = 5;
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
  return (
    <ChartFrame id={id} width={width} height={height} texts={texts}>
      <rect class="heat-0" x={left} width={hours * cell.width} height={days * cell.height} />
      {cellPaths(week, left, cell).map(
        (path, index) => path !== '' && <path key={path} class={`heat-${index + 1}`} d={path} />,
      )}
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

/** One path for all cells of a level: a week has 168. */
function cellPaths(
  week: readonly number[],
  left: number,
  cell: { readonly width: number; readonly height: number },
): string[] {
  const most = Math.max(...week);
  const bounds = Array.from({ length: levels - 1 }, (_, index) => ((index + 1) * most) / levels);
  const level = scaleThreshold(bounds, [0, 1, 2, 3, 4]);
  const paths = Array.from({ length: levels }, () => '');
  for (const [hour, value] of week.entries()) {
    if (value === 0) continue;
    const x = left + (hour % hours) * cell.width;
    const y = Math.floor(hour / hours) * cell.height;
    const index = level(value);
    paths[index] += `M${x} ${y}h${cell.width - 1}v${cell.height - 1}h${1 - cell.width}z`;
  }
  return paths;
}
