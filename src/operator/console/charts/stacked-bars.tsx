import { scaleLinear } from 'd3-scale';
import { ChartFrame, type ChartTexts, type Color, Legend } from './chart-frame.js';

/** A bar and its parts. */
export interface Bar {
  readonly name: string;
  /** One for each kind. */
  readonly parts: readonly number[];
}

const width = 960;
const left = 200;
const barHeight = 22;
const gap = 8;
/** So much of a name fits beside its bar. */
const nameLength = 26;

/** Horizontal bars, each made of parts of the same kinds. */
export function StackedBars({
  id,
  texts,
  kinds,
  bars,
}: {
  /** Once in a page. */
  readonly id: string;
  readonly texts: ChartTexts;
  readonly kinds: readonly { readonly name: string; readonly color: Color }[];
  readonly bars: readonly Bar[];
}) {
  const sums = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const x = scaleLinear([0, Math.max(1, ...sums)], [0, width - left - 60]);
  const height = bars.length * (barHeight + gap);
  return (
    <figure>
      <ChartFrame id={id} width={width} height={height} texts={texts}>
        {bars.map(({ name, parts }, row) => {
          const y = row * (barHeight + gap);
          let start = left;
          return (
            <g key={name}>
              <text class="tick end" x={left - 10} y={y + 16}>
                {name.length > nameLength ? `${name.slice(0, nameLength - 1)}…` : name}
              </text>
              {parts.map((part, kind) => {
                const length = x(part);
                const rect = (
                  <rect
                    key={kinds[kind]?.name}
                    class={`fill-${kinds[kind]?.color}`}
                    x={start}
                    y={y}
                    width={length}
                    height={barHeight}
                  />
                );
                start += length;
                return rect;
              })}
              <text class="tick" x={start + 6} y={y + 16}>
                {sums[row]}
              </text>
            </g>
          );
        })}
      </ChartFrame>
      <Legend entries={kinds} />
    </figure>
  );
}
