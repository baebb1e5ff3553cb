/** The style sheet has a light and a dark shade of each color. */
export type Color = 'good' | 'warn' | 'bad' | 'accent' | 'faint';

/** Null marks an interval without a value. */
export interface Series {
  readonly name: string;
  readonly color: Color;
  readonly values: readonly (number | null)[];
}

/** Height of the drawing in its own units, which the page scales. */
const height = 100;

/** Draws the parts of an interval stacked, or one in front of the other. */
export function Bars({
  series,
  isStacked = true,
  highest = highestOf(series, isStacked),
  marked,
  label,
}: {
  readonly series: readonly Series[];
  readonly isStacked?: boolean;
  readonly highest?: number;
  readonly marked?: number;
  /** Screen readers skip a drawing without a label. */
  readonly label?: string;
}) {
  const width = Math.max(1, series[0]?.values.length ?? 0);
  const size = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none' };
  const meaning =
    label === undefined ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': label };
  const bottoms = Array.from({ length: width }, () => 0);
  return (
    <svg class="bars" {...size} {...meaning}>
      {marked !== undefined && <rect class="mark" x={marked} width="1" height={height} />}
      {series.map(({ name, color, values }) => {
        const bars = values.map((value, index) => {
          if (value === null || value === 0) return '';
          const bottom = bottoms[index] ?? 0;
          if (isStacked) bottoms[index] = bottom + value;
          return `M${index}.1 ${y(bottom, highest)}V${y(bottom + value, highest)}h.8V${y(bottom, highest)}z`;
        });
        return <path key={name} class={color} d={bars.join('')} />;
      })}
    </svg>
  );
}

/** Returns 1 without values, so that it can divide. */
export function highestOf(series: readonly Series[], isStacked: boolean): number {
  const intervals = series[0]?.values ?? [];
  const sums = intervals.map((_, index) => {
    const values = series.map(({ values: all }) => all[index] ?? 0);
    return isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
  return Math.max(...sums) || 1;
}

function y(value: number, highest: number): number {
  return Math.round(height * 10 * (1 - value / highest)) / 10;
}
