import type { HourlyStats } from '../../../../webhooks/statistics/webhook-stats.service.js';
import { Bars } from '../../charts/bars.js';
import type { TextKey } from '../../texts/text.js';
import type { RenderContext } from '../page.js';
import type { PageField } from '../shared/tables.js';

type Hour = HourlyStats[number];

interface Sparkline {
  readonly title: TextKey;
  readonly format: 'percent' | 'duration' | 'number';
  readonly of: (hour: Hour) => number | null;
  /** Top of the axis; defaults to the largest value. */
  readonly highest?: number;
}

const sparklines: readonly Sparkline[] = [
  { title: 'endpoint.success', format: 'percent', of: successRate, highest: 1 },
  { title: 'endpoint.latency', format: 'duration', of: ({ averageMs }) => averageMs },
  { title: 'endpoint.backlog', format: 'number', of: ({ backlog }) => backlog },
];

export const sparklineFields: readonly PageField<{ readonly hours: readonly Hour[] }>[] =
  sparklines.map((sparkline) => ({
    title: sparkline.title,
    show: ({ hours }, context) => hourlyBars(sparkline, hours, context),
  }));

function successRate({ delivered, failed }: Hour): number | null {
  return delivered + failed === 0 ? null : delivered / (delivered + failed);
}

/** Hours without a value have no bar. */
function hourlyBars(
  { title, format, of, highest }: Sparkline,
  hours: readonly Hour[],
  { text, formats }: RenderContext,
) {
  const name = text(title);
  const values = hours.map(of);
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return text('endpoint.noAttempts');
  const most = Math.max(...known);
  const formatValue = formats[format];
  const range = {
    last: formatValue(last),
    lowest: formatValue(Math.min(...known)),
    highest: formatValue(most),
  };
  return (
    <span class="sparkline">
      <Bars
        label={text('endpoint.sparkline', { name, ...range })}
        highest={highest ?? Math.max(most, 1)}
        series={[{ name, color: 'accent', values }]}
      />
      <span>{range.last}</span>
    </span>
  );
}
