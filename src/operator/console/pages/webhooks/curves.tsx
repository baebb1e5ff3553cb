import type { EndpointStatistics } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { Bars } from '../../charts/bars.js';
import type { TextKey } from '../../texts/text.js';
import { type Reader, useReader } from '../page.js';

export function curveFields({ formats }: Reader) {
  return [
    curve('endpoint.success', formats.percent, successRate, 1),
    curve('endpoint.latency', formats.duration, ({ averageMs }) => averageMs),
    curve('endpoint.backlog', formats.number, ({ backlog }) => backlog),
  ];
}

function curve(
  title: Values['title'],
  format: Values['format'],
  valueOf: (hour: EndpointStatistics['hours'][number]) => number | null,
  highest?: number,
) {
  const show = ({ statistics }: { readonly statistics: EndpointStatistics | undefined }) => (
    <Curve {...{ title, values: (statistics?.hours ?? []).map(valueOf), format, highest }} />
  );
  return { title, show };
}

function successRate({ delivered, failed }: EndpointStatistics['hours'][number]): number | null {
  return delivered + failed === 0 ? null : delivered / (delivered + failed);
}

interface Values {
  readonly title: TextKey;
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
  /** The top of the axis; the largest value by default. */
  readonly highest: number | undefined;
}

/** Small bars and the last value; hours without a value have none. */
function Curve({ title, values, format, highest }: Values) {
  const { text } = useReader();
  const name = text(title);
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return <>{text('endpoint.noAttempts')}</>;
  const label = text('endpoint.curve', {
    name,
    last: format(last),
    lowest: format(Math.min(...known)),
    highest: format(Math.max(...known)),
  });
  return (
    <span class="curve">
      <Bars
        label={label}
        highest={highest ?? Math.max(...known, 1)}
        series={[{ name, color: 'accent', values }]}
      />
      <span>{format(last)}</span>
    </span>
  );
}
