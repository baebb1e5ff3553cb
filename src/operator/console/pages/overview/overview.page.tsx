import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../core/configuration/clock.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { FailingEndpointsService } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import { type Partner, PartnersService } from '../../../usage/partners.service.js';
import { type DailyStats, UsageStatsService } from '../../../usage/usage-stats.service.js';
import { stepOf } from '../../charts/time-chart.js';
import type { TextKey } from '../../texts/text.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { Card, Facts, Link } from '../shared/parts.js';
import {
  Attention,
  backlogLines,
  databaseLines,
  endpointLines,
  halfUnderstoodLines,
  keyLines,
  partnerLines,
} from './attention.js';
import { CallCharts } from './call-charts.js';
import { type CallRow, CallTable } from './call-table.js';
import { type SystemState, SystemStateService } from './system-state.service.js';

const refreshSeconds = 30;
/** Further failing endpoints are not looked at. */
const mostEndpoints = 50;

/** What needs attention first, then calls, webhooks and the database. */
@Injectable()
export class OverviewPage implements ConsolePage {
  readonly path = '/';
  readonly title = 'overview.title';
  readonly isInMenu = true;

  constructor(
    private readonly stats: UsageStatsService,
    private readonly partners: PartnersService,
    private readonly system: SystemStateService,
    private readonly endpoints: FailingEndpointsService,
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    const { system } = this;
    const now = this.clock.now();
    const step = stepOf(request);
    const [state, ...parts] = await Promise.all([
      system.read(),
      system.orNull(this.partners.list()),
      system.orNull(this.endpoints.list(mostEndpoints)),
      system.orNull(this.organizations.listByName()),
      system.orNull(this.stats.lastDay()),
      system.orNull(this.stats.series(step)),
    ]);
    const [partners, endpoints, organizations, day, series] = parts;
    const lines = [
      ...databaseLines(state, request),
      ...backlogLines(state, request),
      ...endpointLines(endpoints ?? [], request),
      ...partnerLines(partners ?? [], request),
      ...halfUnderstoodLines(partners, day, request),
      ...keyLines(partners ?? [], request, now),
    ];
    const isKnown = state.hasPrimary && parts.every((part) => part !== null);
    const isComplete = isKnown && state.deliveries !== null && state.events !== null;
    const firstStep = isKnown ? firstStepOf(organizations ?? [], partners ?? []) : null;
    const body = (
      <>
        <p class="note">
          <time dateTime={now.toISOString()}>
            {request.text('console.asOf', { time: request.formats.time(now) })}
          </time>
        </p>
        <Attention {...{ request, lines, firstStep, isComplete }} />
        {series !== null && <CallCharts {...{ request, step, series }} />}
        {day !== null && <Calls {...{ request, day, partners: partners ?? [] }} />}
        <System request={request} state={state} />
      </>
    );
    return { body, refreshSeconds, status: isKnown ? 200 : 503 };
  }
}

function firstStepOf(
  organizations: readonly unknown[],
  partners: readonly Partner[],
): TextKey | null {
  if (organizations.length === 0) return 'attention.firstOrganization';
  return partners.length === 0 ? 'attention.firstCall' : null;
}

/** The calls of the last 24 hours by route and by key. */
function Calls({
  request,
  day,
  partners,
}: {
  readonly request: PageRequest;
  readonly day: DailyStats;
  readonly partners: readonly Partner[];
}) {
  const { text } = request;
  const byKey = new Map(partners.map((partner) => [partner.keyId, partner]));
  const nameOf = (keyId: string | null): CallRow['name'] => {
    if (keyId === null) return text('overview.noKey');
    const { name = keyId, organizationName = '' } = byKey.get(keyId) ?? {};
    return (
      <>
        <Link to={`/partners/${keyId}`}>{name}</Link> <small>{organizationName}</small>
      </>
    );
  };
  return (
    <>
      <CallTable
        request={request}
        title={text('overview.byRoute')}
        column={text('overview.route')}
        rows={day.routes.map((row) => ({ ...row, name: <code>{row.route}</code> }))}
      />
      <CallTable
        request={request}
        title={text('overview.byKey')}
        column={text('overview.key')}
        rows={day.keys.map((row) => ({ ...row, name: nameOf(row.keyId) }))}
      />
    </>
  );
}

function System({
  request: { text, formats },
  state: { hasPrimary, connections, deliveries, events },
}: {
  readonly request: PageRequest;
  readonly state: SystemState;
}) {
  const waiting = (backlog: SystemState['events']) =>
    backlog === null
      ? text('overview.unknown')
      : `${formats.number(backlog.count)} (${formats.duration(backlog.lagMs)})`;
  return (
    <div id="database">
      <Card title={text('overview.system')}>
        <Facts
          facts={[
            [
              text('overview.database'),
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
