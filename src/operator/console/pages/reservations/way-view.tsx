import type { Move } from '../../../../reservations/reading/reservation-history.service.js';
import type { PageRequest } from '../page.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import { Card, When } from '../shared/parts.js';
import { drawWay, type DrawnMove, type DrawnStatus } from './way-drawing.js';

interface Way {
  readonly request: PageRequest;
  readonly way: readonly Move[];
}

/** The state machine with the way of a reservation, and the same in words. */
export function WayView({ request, way }: Way) {
  const { text } = request;
  return (
    <Card title={text('reservation.way')}>
      <ScrollArea label={text('reservation.wayTitle')}>
        <Drawing request={request} way={way} />
      </ScrollArea>
      <p class="note">{text('reservation.wayLegend')}</p>
      <ol>
        {way.map((move, index) => (
          <li key={index}>
            {moveText(request, move)}
            {move.at !== null && (
              <>
                {' · '}
                <When request={request} time={move.at} />
              </>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Drawing({ request, way }: Way) {
  const { width, height, statuses, moves } = drawWay(way);
  // What was taken lies above what was not.
  const sorted = moves.toSorted((a, b) => a.steps.length - b.steps.length);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby="way-title" class="way">
      <title id="way-title">{request.text('reservation.wayTitle')}</title>
      <defs>
        {['possible', 'taken'].map((kind) => (
          <marker
            key={kind}
            id={`tip-${kind}`}
            class={kind}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 10 5 0 10z" />
          </marker>
        ))}
      </defs>
      {sorted.map((move) => (
        <Arrow key={`${move.from} ${move.to}`} {...move} />
      ))}
      {statuses.map((status) => (
        <Status key={status.status} {...status} />
      ))}
    </svg>
  );
}

function Arrow({ d, from, to, label, steps, isCallback }: DrawnMove) {
  const kind = steps.length === 0 ? 'possible' : 'taken';
  return (
    <g class={isCallback ? kind : `${kind} other`} data-from={from} data-to={to}>
      <path d={d} fill="none" marker-end={`url(#tip-${kind})`} />
      {steps.length > 0 && (
        <>
          <circle cx={label.x} cy={label.y} r="11" />
          <text x={label.x} y={label.y + 4} text-anchor="middle">
            {steps.join(',')}
          </text>
        </>
      )}
    </g>
  );
}

function Status({ status, x, y, width, height, isCurrent, isFirst }: DrawnStatus) {
  return (
    <g class={isCurrent ? 'status current' : 'status'} data-status={status}>
      <rect x={x} y={y} width={width} height={height} rx="6" />
      {isFirst && <circle cx={x + 10} cy={y + 10} r="4" />}
      <text x={x + width / 2} y={y + height / 2 + 5} text-anchor="middle">
        {status}
      </text>
    </g>
  );
}

function moveText({ text }: PageRequest, { from, to, by }: Move): string {
  const what =
    from === null ? text('reservation.begins', { to }) : text('reservation.moves', { from, to });
  return `${what} · ${text(`reservation.by.${by}`)}`;
}
