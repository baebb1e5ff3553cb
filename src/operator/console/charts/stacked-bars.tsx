import { scaleLinear } from 'd3-scale';
import { ChartFrame, type ChartTexts, type Color, colors, Legend } from './chart-frame.js';

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
  const sums = bars.map(({ parts }) => sumOf(parts));
  const x = scaleLinear([0, Math.max(1, ...sums)], [0, width - left - 60]);
  const height = bars.length * (barHeight + gap);
  return (
    <figure>
      <ChartFrame id={id} width={width} height={height} texts={texts}>
        {bars.map(({ name, parts }, row) => (
          <g key={name} transform={`translate(${left} ${row * (barHeight + gap)})`}>
            <text class="tick end" x={-10} y={16}>
              {name.length > nameLength ? `${name.slice(0, nameLength - 1)}…` : name}
            </text>
            {kinds.map((kind, index) => (
              <rect
                key={kind.name}
                fill={colors[kind.color]}
                x={x(sumOf(parts.slice(0, index)))}
                width={x(parts[index] ?? 0)}
                height={barHeight}
              />
            ))}
            <text class="tick" x={x(sumOf(parts)) + 6} y={16}>
              {sums[row]}
            </text>
          </g>
        ))}
      </ChartFrame>
      <Legend entries={kinds} />
    </figure>
  );
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0);
}
