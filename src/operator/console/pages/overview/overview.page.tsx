import type { Backlog } from '../../../../core/database/models/backlogs.js';
import type { CallSummary } from '../../../usage/call-counts.js';
import type { IntervalStats } from '../../../usage/usage-stats.service.js';
import { callSeries, deliverySeries, latencySeries } from '../../charts/chart-series.js';
import { IntervalNav, TimeChart } from '../../charts/time-chart.js';
import { type ConsolePage, type RenderContext, useRenderContext } from '../page.js';
import { FieldList, FieldTable, type PageField } from '../shared/tables.js';
import { Card } from '../shared/components.js';
import { Attention, attentionLines } from './attention.js';
import { readSystemState, type SystemState } from './system-state.js';

const refreshSeconds = 30;
const maxRows = 30;

/** Shows problems first; without the database, it shows the known parts with status 503. */
export const overviewPage: ConsolePage = {
  path: '/',
  title: 'overview.title',
  isInMenu: true,
  async read(request) {
    const { now, text } = request;
    const state = await readSystemState(request);
    const { partners, organizations, isKnown } = state;
    const firstStep =
      organizations?.length === 0 ? 'attention.firstOrganization' : 'attention.firstCall';
    const body = (
      <>
        <p class="note">
          <time dateTime={now.toISOString()}>{text('console.asOf', { time: now })}</time>
        </p>
        <Attention
          lines={attentionLines(state, request)}
          firstStep={isKnown && partners?.length === 0 ? firstStep : null}
          isComplete={state.isComplete}
        />
        {state.series !== null && <Charts intervals={state.series} />}
        <Calls {...state} />
        <div id="database">
          <FieldList
            title={text('overview.database')}
            fields={systemFields(request)}
            item={state}
          />
        </div>
      </>
    );
    return { body, refreshSeconds, status: isKnown ? 200 : 503 };
  },
};

function Charts({ intervals }: { readonly intervals: readonly IntervalStats[] }) {
  const { text, formats } = useRenderContext();
  const polls = intervals.reduce((sum, interval) => sum + interval.polls, 0);
  return (
    <Card title={text('overview.charts')}>
      <IntervalNav />
      <TimeChart title="overview.callsName" data={intervals} series={callSeries} />
      <TimeChart
        title="overview.latencyChart"
        note={text('overview.latencyNote', { polls })}
        data={intervals}
        series={latencySeries}
        isStacked={false}
        format={formats.duration}
      />
      <TimeChart title="overview.deliveriesChart" data={intervals} series={deliverySeries} />
    </Card>
  );
}

function Calls({ day, partners }: SystemState) {
  const { text, formats } = useRenderContext();
  if (day === null) return null;
  const known = new Map((partners ?? []).map((partner) => [partner.keyId, partner]));
  const fields: readonly PageField<CallSummary>[] = [
    { title: 'overview.callsName', kind: 'number', of: ({ calls }) => calls },
    {
      title: 'partners.errors',
      kind: 'number',
      of: ({ errors }) => errors,
      note: ({ errors, calls }) => (errors > 0 ? formats.percent(errors / calls) : null),
    },
    {
      title: 'overview.failed',
      kind: 'number',
      of: ({ failures }) => failures,
      severity: ({ failures }) => (failures > 0 ? 'bad' : undefined),
    },
    { title: 'overview.median', kind: 'duration', of: ({ medianMs }) => medianMs },
    { title: 'overview.p95', kind: 'duration', of: ({ p95Ms }) => p95Ms },
  ];
  return (
    <>
      <FieldTable
        title={text('overview.byRoute')}
        fields={[{ title: 'requests.route', kind: 'code', of: ({ route }) => route }, ...fields]}
        items={day.routes}
        limit={maxRows}
      />
      <FieldTable
        title={text('overview.byKey')}
        fields={[
          {
            title: 'shared.key',
            kind: 'text',
            of: ({ keyId }) =>
              keyId === null ? text('overview.noKey') : (known.get(keyId)?.name ?? keyId),
            to: ({ keyId }) => keyId && `/partners/${keyId}`,
            note: ({ keyId }) => known.get(keyId ?? '')?.organizationName ?? null,
          },
          ...fields,
        ]}
        items={day.keys}
        limit={maxRows}
      />
    </>
  );
}

function systemFields({ formats }: RenderContext): PageField<SystemState>[] {
  const age = (backlog: Backlog | null) => backlog && formats.duration(backlog.lagMs);
  return [
    {
      title: 'shared.state',
      kind: 'status',
      of: ({ hasPrimary }) => (hasPrimary ? 'overview.hasPrimary' : 'overview.hasNoPrimary'),
      severity: ({ hasPrimary }) => (hasPrimary ? 'good' : 'bad'),
    },
    {
      title: 'overview.connections',
      kind: 'text',
      of: ({ connections: { inUse, open } }) => `${inUse} / ${open}`,
    },
    {
      title: 'overview.eventsWaiting',
      kind: 'number',
      of: ({ events }) => events?.count,
      note: ({ events }) => age(events),
    },
    {
      title: 'overview.deliveriesWaiting',
      kind: 'number',
      of: ({ deliveries }) => deliveries?.count,
      note: ({ deliveries }) => age(deliveries),
    },
  ];
}
