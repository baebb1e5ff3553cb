import { withinDeadline } from '../../../../core/database/connection/database-errors.js';
import type { CallSummary } from '../../../usage/call-counts.js';
import { stepOf } from '../../charts/time-chart.js';
import { type ConsolePage, useReader } from '../page.js';
import { FieldList, FieldTable, type ShownField } from '../shared/fields.js';
import { Attention, attentionLines, type SystemState } from './attention.js';
import { CallCharts } from './call-charts.js';

const refreshSeconds = 30;
/** Further failing endpoints are not read. */
const maxEndpoints = 50;
const maxRows = 30;
const maxWaitMs = 2_000;

/** Problems first; without the database it shows the parts that are known, with 503. */
export const overviewPage: ConsolePage = {
  path: '/',
  title: 'overview.title',
  isInMenu: true,
  async read(request) {
    const { now, services, text, deadlineMs } = request;
    const waitMs = Math.min(maxWaitMs, deadlineMs / 2);
    const orNull = async <T,>(work: Promise<T>): Promise<T | null> =>
      withinDeadline(work, waitMs).catch(() => null);
    const [hasPrimary, ...parts] = await Promise.all([
      services.database.hasPrimary(waitMs),
      orNull(services.partners.list()),
      orNull(services.webhookStatistics.failingEndpoints(maxEndpoints)),
      orNull(services.usage.lastDay()),
      orNull(services.usage.series(stepOf(request))),
      orNull(services.organizations.listByName()),
      orNull(services.webhookStatistics.deliveryBacklog()),
      orNull(services.webhookStatistics.eventBacklog()),
    ]);
    const [partners, endpoints, day, series, organizations, deliveries, events] = parts;
    const connections = services.database.use();
    const state = { hasPrimary, partners, endpoints, day, deliveries, events, connections };
    const known = [partners, endpoints, day, series, organizations];
    const isKnown = hasPrimary && known.every((part) => part !== null);
    const isComplete = isKnown && deliveries !== null && events !== null;
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
          isComplete={isComplete}
        />
        {series !== null && <CallCharts series={series} />}
        <Calls {...state} />
        <System {...state} />
      </>
    );
    return { body, refreshSeconds, status: isKnown ? 200 : 503 };
  },
};

function Calls({ day, partners }: SystemState) {
  const { text, formats } = useReader();
  if (day === null) return null;
  const known = new Map((partners ?? []).map((partner) => [partner.keyId, partner]));
  const fields: readonly ShownField<CallSummary>[] = [
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

function System(state: SystemState) {
  const { text, formats } = useReader();
  const waiting = (backlog: SystemState['events']) =>
    backlog === null
      ? text('overview.unknown')
      : `${formats.number(backlog.count)} (${formats.duration(backlog.lagMs)})`;
  return (
    <div id="database">
      <FieldList
        title={text('overview.database')}
        fields={[
          {
            title: 'shared.state',
            show: ({ hasPrimary }) => (
              <span class={hasPrimary ? 'good' : 'bad'}>
                {text(hasPrimary ? 'overview.hasPrimary' : 'overview.hasNoPrimary')}
              </span>
            ),
          },
          {
            title: 'overview.connections',
            show: ({ connections: { inUse: used, open } }) =>
              text('overview.ofConnections', { used, open }),
          },
          { title: 'overview.eventsWaiting', show: ({ events }) => waiting(events) },
          { title: 'overview.deliveriesWaiting', show: ({ deliveries }) => waiting(deliveries) },
        ]}
        item={state}
      />
    </div>
  );
}
