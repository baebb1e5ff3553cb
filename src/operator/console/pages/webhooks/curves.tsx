import type { HourlyStats } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { Bars } from '../../charts/bars.js';
import type { TextKey } from '../../texts/text.js';
import { type Reader, useReader } from '../page.js';

type Hour = HourlyStats[number];

interface Curve {
  readonly title: TextKey;
  readonly format: (value: number) => string;
  readonly of: (hour: Hour) => number | null;
  /** The top of the axis; the largest value by default. */
  readonly highest?: number;
}

export function curveFields({ formats }: Reader) {
  const curves: readonly Curve[] = [
    { title: 'endpoint.success', format: formats.percent, of: successRate, highest: 1 },
    { title: 'endpoint.latency', format: formats.duration, of: ({ averageMs }) => averageMs },
    { title: 'endpoint.backlog', format: formats.number, of: ({ backlog }) => backlog },
  ];
  return curves.map((curve) => ({
    title: curve.title,
    show: ({ hours }: { readonly hours: HourlyStats }) => <HourlyBars {...curve} hours={hours} />,
  }));
}

function successRate({ delivered, failed }: Hour): number | null {
  return delivered + failed === 0 ? null : delivered / (delivered + failed);
}

/** Small bars and the last value; hours without a value have none. */
function HourlyBars({
  title,
  format,
  of,
  highest,
  hours,
}: Curve & { readonly hours: readonly Hour[] }) {
  const { text } = useReader();
  const name = text(title);
  const values = hours.map(of);
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return <>{text('endpoint.noAttempts')}</>;
  const most = Math.max(...known);
  const label = text('endpoint.curve', {
    name,
    last: format(last),
    lowest: format(Math.min(...known)),
    highest: format(most),
  });
  return (
    <span class="curve">
      <Bars
        label={label}
        highest={highest ?? Math.max(most, 1)}
        series={[{ name, color: 'accent', values }]}
      />
      <span>{format(last)}</span>
    </span>
  );
}
