import { Inject, Injectable } from '@nestjs/common';
import type { ComponentChildren } from 'preact';
import { ENVIRONMENT, type Environment } from '../../../../core/configuration/environment.js';
import { DatabaseConnection } from '../../../../core/database/connection/database-connection.js';
import { withinDeadline } from '../../../../core/database/connection/database-errors.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { FailingEndpointsService } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import { WebhookStatisticsService } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import type { CallSummary } from '../../../usage/call-counts.js';
import { PartnersService } from '../../../usage/partners.service.js';
import { UsageStatsService } from '../../../usage/usage-stats.service.js';
import { stepOf } from '../../charts/time-chart.js';
import type { TextKey } from '../../texts/text.js';
import { type ConsolePage, type PageContent, type PageRequest, useReader } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { Card, Facts, Link } from '../shared/parts.js';
import { Attention, attentionLines, type SystemState } from './attention.js';
import { CallCharts } from './call-charts.js';

const refreshSeconds = 30;
/** Further failing endpoints are not read. */
const maxEndpoints = 50;
const maxRows = 30;
const maxWaitMs = 2_000;

/** Problems first; without the database it shows the parts that are known, with 503. */
@Injectable()
export class OverviewPage implements ConsolePage {
  readonly path = '/';
  readonly title = 'overview.title';
  readonly isInMenu = true;
  private readonly waitMs: number;

  constructor(
    private readonly stats: UsageStatsService,
    private readonly partners: PartnersService,
    private readonly webhooks: WebhookStatisticsService,
    private readonly endpoints: FailingEndpointsService,
    private readonly organizations: OrganizationsRepository,
    private readonly database: DatabaseConnection,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS }: Environment,
  ) {
    this.waitMs = Math.min(maxWaitMs, DATABASE_DEADLINE_MS / 2);
  }

  async read(request: PageRequest): Promise<PageContent> {
    const { now } = request;
    const [hasPrimary, ...parts] = await Promise.all([
      this.database.hasPrimary(this.waitMs),
      this.orNull(this.partners.list()),
      this.orNull(this.endpoints.list(maxEndpoints)),
      this.orNull(this.stats.lastDay()),
      this.orNull(this.stats.series(stepOf(request))),
      this.orNull(this.organizations.listByName()),
      this.orNull(this.webhooks.deliveryBacklog()),
      this.orNull(this.webhooks.eventBacklog()),
    ]);
    const [partners, endpoints, day, series, organizations, deliveries, events] = parts;
    const connections = this.database.use();
    const state = { hasPrimary, partners, endpoints, day, deliveries, events, connections };
    const known = [partners, endpoints, day, series, organizations];
    const isKnown = hasPrimary && known.every((part) => part !== null);
    const isComplete = isKnown && deliveries !== null && events !== null;
    const firstStep =
      organizations?.length === 0 ? 'attention.firstOrganization' : 'attention.firstCall';
    const body = (
      <>
        <p class="note">
          <time dateTime={now.toISOString()}>
            {request.text('console.asOf', { time: request.formats.time(now) })}
          </time>
        </p>
        <Attention
          lines={attentionLines(state, request, now)}
          firstStep={isKnown && partners?.length === 0 ? firstStep : null}
          isComplete={isComplete}
        />
        {series !== null && <CallCharts series={series} />}
        <Calls {...state} />
        <System {...state} />
      </>
    );
    return { body, refreshSeconds, status: isKnown ? 200 : 503 };
  }

  private async orNull<T>(work: Promise<T>): Promise<T | null> {
    return withinDeadline(work, this.waitMs).catch(() => null);
  }
}

function Calls({ day, partners }: SystemState) {
  const { text } = useReader();
  if (day === null) return null;
  const names = new Map((partners ?? []).map((partner) => [partner.keyId, partner]));
  const nameOf = (keyId: string | null) => {
    if (keyId === null) return text('overview.noKey');
    const { name = keyId, organizationName = '' } = names.get(keyId) ?? {};
    return (
      <>
        <Link to={`/partners/${keyId}`}>{name}</Link> <small>{organizationName}</small>
      </>
    );
  };
  return (
    <>
      <CallTable
        title="overview.byRoute"
        column="requests.route"
        rows={day.routes.map((row) => ({ ...row, name: <code>{row.route}</code> }))}
      />
      <CallTable
        title="overview.byKey"
        column="shared.key"
        rows={day.keys.map((row) => ({ ...row, name: nameOf(row.keyId) }))}
      />
    </>
  );
}

function CallTable({
  title,
  column,
  rows,
}: {
  readonly title: TextKey;
  readonly column: TextKey;
  readonly rows: readonly (CallSummary & { readonly name: ComponentChildren })[];
}) {
  const { text, formats } = useReader();
  return (
    <FieldTable
      title={text(title)}
      fields={[
        { title: column, show: ({ name }) => name },
        { title: 'overview.callsName', isNumber: true, show: ({ calls }) => calls },
        {
          title: 'partners.errors',
          isNumber: true,
          show: ({ errors, calls }) =>
            `${formats.number(errors)}${errors > 0 ? ` (${formats.percent(errors / calls)})` : ''}`,
        },
        {
          title: 'overview.failed',
          isNumber: true,
          show: ({ failures }) => (
            <span class={failures > 0 ? 'bad' : undefined}>{formats.number(failures)}</span>
          ),
        },
        { title: 'overview.median', isNumber: true, show: (row) => formats.duration(row.medianMs) },
        { title: 'overview.p95', isNumber: true, show: ({ p95Ms }) => formats.duration(p95Ms) },
      ]}
      items={rows.slice(0, maxRows)}
      next={rows.length > maxRows ? '' : null}
      ifEmpty={text('overview.noCalls')}
    />
  );
}

function System({ hasPrimary, connections, deliveries, events }: SystemState) {
  const { text, formats } = useReader();
  const waiting = (backlog: SystemState['events']) =>
    backlog === null
      ? text('overview.unknown')
      : `${formats.number(backlog.count)} (${formats.duration(backlog.lagMs)})`;
  return (
    <div id="database">
      <Card title={text('overview.database')}>
        <Facts
          facts={[
            [
              text('shared.state'),
              <span class={hasPrimary ? 'good' : 'bad'}>
                {text(hasPrimary ? 'overview.hasPrimary' : 'overview.hasNoPrimary')}
              </span>,
            ],
            [
              text('overview.connections'),
              text('overview.ofConnections', { used: connections.inUse, open: connections.open }),
            ],
            [text('overview.eventsWaiting'), waiting(events)],
            [text('overview.deliveriesWaiting'), waiting(deliveries)],
          ]}
        />
      </Card>
    </div>
  );
}
