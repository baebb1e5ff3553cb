/** The colours of charts; the style sheet has a shade of each for light and for dark. */
export type Color = 'good' | 'warn' | 'bad' | 'accent' | 'faint';

/** A kind of value, with one for each step; null where there is none. */
export interface Series {
  readonly name: string;
  readonly color: Color;
  readonly values: readonly (number | null)[];
}

/** So high is a drawing, in units of its own: it takes the size that the page gives it. */
const height = 100;

/** Bars side by side, one for each step: the parts of a bar stand on one another, or one before the other. */
export function Bars({
  series,
  isStacked = true,
  highest = highestOf(series, isStacked),
  marked,
  label,
}: {
  readonly series: readonly Series[];
  readonly isStacked?: boolean;
  /** The value of the upper border. */
  readonly highest?: number;
  /** The step that is marked first. */
  readonly marked?: number;
  /** What the bars say, for those who do not see them; without it they are only looked at. */
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
        const bars = values.map((value, step) => {
          if (value === null || value === 0) return '';
          const bottom = bottoms[step] ?? 0;
          if (isStacked) bottoms[step] = bottom + value;
          return `M${step}.1 ${y(bottom, highest)}V${y(bottom + value, highest)}h.8V${y(bottom, highest)}z`;
        });
        return <path key={name} class={`fill-${color}`} d={bars.join('')} />;
      })}
    </svg>
  );
}

/** The colour of a series, as large as a letter. */
export function Swatch({ color }: Pick<Series, 'color'>) {
  return (
    <svg class="swatch" width="12" height="12" aria-hidden="true">
      <rect class={`fill-${color}`} width="12" height="12" />
    </svg>
  );
}

/** The largest value of a drawing; 1 where there is none. */
export function highestOf(series: readonly Series[], isStacked: boolean): number {
  const steps = series[0]?.values ?? [];
  const sums = steps.map((_, step) => {
    const values = series.map(({ values: all }) => all[step] ?? 0);
    return isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
  return Math.max(...sums) || 1;
}

function y(value: number, highest: number): number {
  return Math.round(height * 10 * (1 - value / highest)) / 10;
}
