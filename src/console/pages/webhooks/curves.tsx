import { area, curveMonotoneX, line } from 'd3-shape';
import type { ComponentChildren } from 'preact';
import type { EndpointFigures } from '../../../webhooks/figures/webhook-figures.service.js';
import type { PageRequest } from '../page.js';

const width = 120;
const height = 28;
/** Of the line, which would be cut in half at the border. */
const margin = 2;

/** The success rate, latency and backlog of an endpoint, each as a cell of a table. */
export function Curves(
  request: PageRequest,
  figures: EndpointFigures | undefined,
): ComponentChildren[] {
  const { text, formats } = request;
  const rates = figures?.hours.map(({ delivered, failed }) =>
    delivered + failed === 0 ? null : delivered / (delivered + failed),
  );
  const latencies = figures?.hours.map(({ averageMs }) => averageMs);
  const backlogs = figures?.hours.map(({ backlog }) => backlog);
  const hasAttempts = rates?.some((rate) => rate !== null) ?? false;
  const none = text('endpoint.noAttempts');
  return [
    hasAttempts ? (
      <Curve
        request={request}
        name={text('endpoint.success')}
        values={rates ?? []}
        format={formats.percent}
        highest={1}
      />
    ) : (
      none
    ),
    hasAttempts ? (
      <Curve
        request={request}
        name={text('endpoint.latency')}
        values={latencies ?? []}
        format={formats.duration}
      />
    ) : (
      none
    ),
    <Curve
      request={request}
      name={text('endpoint.backlog')}
      values={backlogs ?? []}
      format={formats.number}
    />,
  ];
}

/** A small curve with its last value beside it; hours without a value are left out. */
function Curve({
  request: { text },
  name,
  values,
  format,
  highest,
}: {
  readonly request: PageRequest;
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
  /** Of the axis; the largest value unless it is given. */
  readonly highest?: number;
}) {
  const known = values.flatMap((value) => (value === null ? [] : [value]));
  const last = known.at(-1);
  if (last === undefined) return <>–</>;
  const top = highest ?? Math.max(...known, 1);
  const x = (index: number) => (index / Math.max(1, values.length - 1)) * width;
  const y = (value: number) => height - margin - (value / top) * (height - 2 * margin);
  const isKnown = (value: number | null) => value !== null;
  const shape = (made: string | null) => made ?? undefined;
  const describe = {
    name,
    last: format(last),
    lowest: format(Math.min(...known)),
    highest: format(Math.max(...known)),
  };
  return (
    <span class="curve">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={text('endpoint.curve', describe)}
      >
        <path
          class="below"
          d={shape(
            area<number | null>(
              (_value, index) => x(index),
              height,
              (value) => y(value ?? 0),
            )
              .defined(isKnown)
              .curve(curveMonotoneX)([...values]),
          )}
        />
        <path
          class="line"
          d={shape(
            line<number | null>(
              (_value, index) => x(index),
              (value) => y(value ?? 0),
            )
              .defined(isKnown)
              .curve(curveMonotoneX)([...values]),
          )}
        />
      </svg>
      <span>{format(last)}</span>
    </span>
  );
}
