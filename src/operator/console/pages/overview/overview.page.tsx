import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../core/configuration/clock.js';
import { UsageStatsService, type DailyStats } from '../../../usage/usage-stats.service.js';
import { type Partner, PartnersService } from '../../../usage/partners.service.js';
import { minuteMs } from '../../../../core/values/durations.js';
import { type KeyFigure, KeyFigures } from '../../layout/key-figures.js';
import { consolePath } from '../../layout/layout.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { CallsChart, DeliveriesChart, LatencyChart } from './call-charts.js';
import { type CallRow, CallTable } from './call-table.js';
import { type SystemState, SystemStateService } from './system-state.service.js';

const refreshSeconds = 30;
/** So long a delivery is due when nothing is wrong. */
const latenessMs = minuteMs;

/** Whether all is well: calls, errors, webhooks, partners and the database. */
@Injectable()
export class OverviewPage implements ConsolePage {
  readonly path = '/';
  readonly title = 'overview.title';
  readonly isInMenu = true;

  constructor(
    private readonly stats: UsageStatsService,
    private readonly partners: PartnersService,
    private readonly system: SystemStateService,
    private readonly clock: Clock,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    const { text, formats } = request;
    const [day, partners, state] = await Promise.all([
      this.stats.lastDay(),
      this.partners.list(),
      this.system.read(),
    ]);
    const byKey = new Map(partners.map((partner) => [partner.keyId, partner]));
    const asOf = text('console.asOf', { time: formats.time(this.clock.now()) });
    const body = (
      <>
        <p class="note">{asOf}</p>
        <Calls day={day} request={request} />
        <div class="columns">
          <SilentPartners partners={partners} request={request} />
          <System state={state} request={request} />
        </div>
        <Webhooks day={day} state={state} request={request} />
        <CallTable
          title={text('overview.byRoute')}
          column={text('overview.route')}
          rows={day.routes.map((row) => ({
            ...row,
            name: <code>{row.route}</code>,
          }))}
          request={request}
        />
        <CallTable
          title={text('overview.byKey')}
          column={text('overview.key')}
          rows={day.keys.map((row) => keyRow(row, byKey, request))}
          request={request}
        />
      </>
    );
    return { body, refreshSeconds };
  }
}

interface Part {
  readonly request: PageRequest;
}

function keyRow(
  row: DailyStats['keys'][number],
  partners: ReadonlyMap<string, Partner>,
  { text }: PageRequest,
): CallRow {
  const { keyId } = row;
  if (keyId === null) return { ...row, name: text('overview.noKey') };
  const { name = keyId, organizationName = '' } = partners.get(keyId) ?? {};
  const link = <a href={`${consolePath}/partners/${keyId}`}>{name}</a>;
  return {
    ...row,
    name: (
      <>
        {link} <span class="note">{organizationName}</span>
      </>
    ),
  };
}

function Calls({ day, request }: Part & { readonly day: DailyStats }) {
  const { text, formats } = request;
  const { total, minutes } = day;
  const share = total.calls === 0 ? 0 : total.failures / total.calls;
  const figures: KeyFigure[] = [
    { name: text('overview.callsName'), value: formats.number(total.calls) },
    { name: text('overview.refused'), value: formats.number(total.errors - total.failures) },
    {
      name: text('overview.failed'),
      value: formats.number(total.failures),
      mood: share > 0.001 ? 'bad' : 'good',
    },
    { name: text('overview.median'), value: formats.milliseconds(total.medianMs) },
    { name: text('overview.p95'), value: formats.milliseconds(total.p95Ms) },
  ];
  const since = formats.time(minutes[0]?.at ?? new Date(0));
  return (
    <section class="card">
      <h2>{text('overview.calls', { time: since })}</h2>
      <KeyFigures figures={figures} />
      <CallsChart day={day} request={request} />
      <LatencyChart day={day} request={request} />
    </section>
  );
}

function Webhooks({
  day,
  state: { deliveries, events },
  request,
}: Part & { readonly day: DailyStats; readonly state: SystemState }) {
  const { text, formats } = request;
  const unknown = text('overview.unknown');
  const isLate = (deliveries?.lagMs ?? 0) > latenessMs;
  const figures: KeyFigure[] = [
    { name: text('overview.delivered'), value: formats.number(day.deliveries.delivered) },
    { name: text('overview.undelivered'), value: formats.number(day.deliveries.failed) },
    {
      name: text('overview.waiting'),
      value: deliveries === null ? unknown : formats.number(deliveries.count),
      ...(isLate && { mood: 'bad' }),
    },
    {
      name: text('overview.waitingFor'),
      value: deliveries === null ? unknown : formats.duration(deliveries.lagMs),
      ...(isLate && { mood: 'bad' }),
    },
    {
      name: text('overview.eventsWaiting'),
      value: events === null ? unknown : formats.number(events.count),
    },
  ];
  return (
    <section class="card">
      <h2>{text('overview.webhooks')}</h2>
      <KeyFigures figures={figures} />
      <DeliveriesChart day={day} request={request} />
    </section>
  );
}

function SilentPartners({
  partners,
  request: { text, formats },
}: Part & { readonly partners: readonly Partner[] }) {
  const silent = partners.filter(({ state }) => state === 'silent');
  return (
    <section class="card">
      <h2>{text('overview.silent')}</h2>
      {silent.length === 0 && <p class="good">{text('overview.nobodySilent')}</p>}
      <ul>
        {silent.slice(0, 10).map((partner) => (
          <li key={partner.keyId}>
            <a href={`${consolePath}/partners/${partner.keyId}`}>{partner.name}</a>{' '}
            {partner.organizationName}
            <br />
            <span class="bad">
              {text('overview.silentLine', {
                time: formats.time(partner.lastCallAt),
                missed: formats.number(partner.missedCalls),
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function System({ state, request: { text } }: Part & { readonly state: SystemState }) {
  const { hasPrimary, connections } = state;
  const rows = [
    {
      name: text('overview.database'),
      value: text(hasPrimary ? 'overview.hasPrimary' : 'overview.hasNoPrimary'),
      isWell: hasPrimary,
    },
    {
      name: text('overview.connections'),
      value: text('overview.ofConnections', { used: connections.inUse, open: connections.open }),
      isWell: true,
    },
  ];
  return (
    <section class="card">
      <h2>{text('overview.system')}</h2>
      <table>
        <tbody>
          {rows.map(({ name, value, isWell }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class={isWell ? undefined : 'bad'}>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
