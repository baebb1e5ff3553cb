import type { Backlog } from '../../../../core/database/models/backlogs.js';
import type { RouteUsage } from '../../../usage/usage.service.js';
import { CallCharts } from '../../components/call-charts.js';
import { Chart, RangeChoices } from '../../components/chart.js';
import { Card, Link, pathWith } from '../../components/components.js';
import { formatDuration, formatNumber, formatPercent } from '../../components/formats.js';
import { shortRoute } from '../../components/request-list.js';
import { type PageField, TableCard } from '../../components/tables.js';
import type { ConsolePage } from '../../page.js';
import { attemptSeries } from '../webhooks/attempt-series.js';
import { Attention, attentionLines } from './attention.js';
import { readSystemState, type SystemState } from './system-state.js';

const refreshSeconds = 60;

/** Begins with what needs attention. Parts that the database did not return in time are missing. */
export const overviewPage: ConsolePage = {
  path: '/',
  title: 'Overview',
  isInMenu: true,
  async read(request) {
    const state = await readSystemState(request);
    const { range, route, calls, attempts, routes, isKnown } = state;
    const of = route === undefined ? '' : ` of ${route}`;
    const body = (
      <>
        <Attention lines={attentionLines(state, request)} state={state} />
        <Numbers {...state} />
        <div class="d-flex flex-wrap gap-2 align-items-center mb-3">
          <RangeChoices />
          {route !== undefined && <Link to={pathWith(request, { route: null })}>All routes</Link>}
        </div>
        {calls === null ? (
          <Uncounted title={`Calls${of}`} what="calls" />
        ) : (
          <CallCharts of={of} range={range} points={calls} />
        )}
        {attempts === null ? (
          <Uncounted title="Attempts to send webhooks" what="attempts" />
        ) : (
          <Card title="Attempts to send webhooks" note="UTC">
            <Chart label="Attempts" range={range} points={attempts} series={attemptSeries} />
          </Card>
        )}
        {routes === null ? (
          <Uncounted title="Calls by route" what="calls" />
        ) : (
          <TableCard
            title="Calls by route"
            fields={routeFields}
            items={routes}
            empty={['No calls', 'Each route that was called is listed here.']}
          />
        )}
      </>
    );
    return { body, refreshSeconds, status: isKnown ? 200 : 503 };
  },
};

function Uncounted({ title, what }: { readonly title: string; readonly what: string }) {
  return (
    <Card title={title}>
      <p class="text-secondary mb-0">
        The {what} of this time could not be counted in time: choose a shorter one.
      </p>
    </Card>
  );
}

function Numbers({ calls, events, deliveries }: SystemState) {
  const points = calls ?? [];
  const sum = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((total, point) => total + of(point), 0);
  const all = sum((point) => point.calls);
  const shown = (count: number) => (calls === null ? '–' : formatNumber(count));
  const share = (count: number) => (all === 0 ? '' : formatPercent(count / all));
  const [refused, failed] = [sum((point) => point.refused), sum((point) => point.failed)];
  return (
    <div class="d-flex flex-wrap gap-2 mb-3">
      <Figure title="Calls" value={shown(all)} />
      <Figure title="Refused" value={shown(refused)} note={share(refused)} />
      <Figure title="Failed" value={shown(failed)} note={share(failed)} />
      <Figure title="Events not sent yet" {...backlogFigure(events)} />
      <Figure title="Webhooks due now" {...backlogFigure(deliveries)} />
    </div>
  );
}

function backlogFigure(backlog: Backlog | null) {
  if (backlog === null) return { value: '–' };
  const { count, lagMs } = backlog;
  return { value: formatNumber(count), ...(count > 0 && { note: `for ${formatDuration(lagMs)}` }) };
}

function Figure({
  title,
  value,
  note,
}: {
  readonly title: string;
  readonly value: string;
  readonly note?: string;
}) {
  return (
    <div class="card card-sm flex-fill">
      <div class="card-body">
        <div class="subheader">{title}</div>
        <div class="h1 mb-0">
          {value} {note && <small class="text-secondary fs-5">{note}</small>}
        </div>
      </div>
    </div>
  );
}

const routeFields: readonly PageField<RouteUsage>[] = [
  {
    title: 'Route',
    show: ({ route }, context) => (
      <Link to={pathWith(context, { route })}>
        <code>{shortRoute(route)}</code>
      </Link>
    ),
  },
  { title: 'Calls', kind: 'number', of: ({ calls }) => calls },
  { title: 'Refused', kind: 'number', of: ({ refused }) => refused },
  { title: 'Failed', kind: 'number', of: ({ failed }) => failed },
  { title: 'Median', kind: 'duration', of: ({ medianMs }) => medianMs },
  { title: '95th percentile', kind: 'duration', of: ({ p95Ms }) => p95Ms },
];
