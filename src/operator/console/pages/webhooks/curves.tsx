import { area, curveMonotoneX, line } from 'd3-shape';
import type { EndpointStatistics } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import type { PageRequest } from '../page.js';

const width = 120;
const height = 28;
/** Of the line, which would be cut in half at the border. */
const margin = 2;

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

/** A small curve with its last value beside it; hours without a value are left out. */
function Curve({ request: { text }, name, values, format, highest }: Values) {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return <>{text('endpoint.noAttempts')}</>;
  const { below, above } = shapesOf(values, highest ?? Math.max(...known, 1));
  const label = text('endpoint.curve', {
    name,
    last: format(last),
    lowest: format(Math.min(...known)),
    highest: format(Math.max(...known)),
  });
  return (
    <span class="curve">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        <path class="below" d={below} />
        <path class="line" d={above} />
      </svg>
      <span>{format(last)}</span>
    </span>
  );
}

/** The area below a curve and its line, as SVG paths. */
function shapesOf(values: readonly (number | null)[], top: number) {
  const x = (_value: unknown, index: number) =>
    Math.round((index / Math.max(1, values.length - 1)) * width * 10) / 10;
  const y = (value: number | null) =>
    Math.round((height - margin - ((value ?? 0) / top) * (height - 2 * margin)) * 10) / 10;
  const made = [...values];
  const below = area<number | null>(x, height, y).defined(isKnown).curve(curveMonotoneX)(made);
  const above = line<number | null>(x, y).defined(isKnown).curve(curveMonotoneX)(made);
  return { below: below ?? '', above: above ?? '' };
}

function isKnown(value: number | null): boolean {
  return value !== null;
}
