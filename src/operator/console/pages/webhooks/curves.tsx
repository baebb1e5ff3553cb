import type { EndpointStatistics } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import { Bars } from '../../charts/bars.js';
import type { PageRequest } from '../page.js';

/** The success rate, latency and backlog of an endpoint in the last 24 hours. */
export function curveFields(request: PageRequest) {
  const { formats } = request;
  const curve = (
    title: 'endpoint.success' | 'endpoint.latency' | 'endpoint.backlog',
    format: Values['format'],
    valueOf: (hour: EndpointStatistics['hours'][number]) => number | null,
    highest?: number,
  ) => ({
    title,
    show: ({ figures }: { readonly figures: EndpointStatistics | undefined }) => {
      const values = (figures?.hours ?? []).map(valueOf);
      const name = request.text(title);
      return <Curve {...{ request, name, values, format, highest }} />;
    },
  });
  return [
    curve('endpoint.success', (share) => formats.percent(share), successRate, 1),
    curve(
      'endpoint.latency',
      (time) => formats.duration(time),
      ({ averageMs }) => averageMs,
    ),
    curve(
      'endpoint.backlog',
      (count) => formats.number(count),
      ({ backlog }) => backlog,
    ),
  ];
}

function successRate({ delivered, failed }: EndpointStatistics['hours'][number]): number | null {
  return delivered + failed === 0 ? null : delivered / (delivered + failed);
}

interface Values {
  readonly request: PageRequest;
  readonly name: string;
  /** Hour by hour; null where there is none. */
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
  /** Of the axis; the largest value unless it is given. */
  readonly highest: number | undefined;
}

/** Small bars with the last value beside them; hours without a value have none. */
function Curve({ request: { text }, name, values, format, highest }: Values) {
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
