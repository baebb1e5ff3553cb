import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { ChartFrame, type ChartTexts, type Color } from './chart-frame.js';

const width = 120;
const height = 28;

/** A line as small as a word; it begins at zero. */
export function Sparkline({
  id,
  texts,
  values,
  color = 'accent',
}: {
  /** Once in a page. */
  readonly id: string;
  readonly texts: ChartTexts;
  readonly values: readonly number[];
  readonly color?: Color;
}) {
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [2, width - 2]);
  const y = scaleLinear([0, Math.max(1, ...values)], [height - 2, 2]);
  const make = line<number>()
    .x((_, index) => Math.round(x(index) * 10) / 10)
    .y((value) => Math.round(y(value) * 10) / 10);
  return (
    <ChartFrame id={id} width={width} height={height} texts={texts}>
      <path class={`line-${color}`} d={make(values) ?? ''} />
    </ChartFrame>
  );
}
