import { Injectable } from '@nestjs/common';
import { Clock } from '../../../configuration/clock.js';
import { CallFiguresService, type DayFigures } from '../../../figures/call-figures.service.js';
import { type KeyNames, type Partner, PartnersService } from '../../../figures/partners.service.js';
import { type KeyFigure, KeyFigures } from '../../layout/key-figures.js';
import { consolePath } from '../../layout/layout.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { CallsChart, DeliveriesChart, LatencyChart } from './call-charts.js';
import { type CallRow, CallTable } from './call-table.js';
import { type SystemState, SystemStateService } from './system-state.service.js';

const refreshSeconds = 30;
/** So long a stream is silent when nothing is wrong. */
const streamPatienceMs = 60_000;

/** Whether all is well: calls, errors, webhooks, partners and the database. */
@Injectable()
export class OverviewPage implements ConsolePage {
  readonly path = '/';
  readonly title = 'overview.title';
  readonly isInMenu = true;

  constructor(
    private readonly figures: CallFiguresService,
    private readonly partners: PartnersService,
    private readonly system: SystemStateService,
    private readonly clock: Clock,
  ) {}

  async read(reader: PageRequest): Promise<PageContent> {
    const { text, formats } = reader;
    const [day, partners, state] = await Promise.all([
      this.figures.lastDay(),
      this.partners.list(),
      this.system.read(),
    ]);
    const names = await this.partners.namesOf(day.keys.flatMap(({ keyId }) => keyId ?? []));
    const asOf = text('console.asOf', { time: formats.time(this.clock.now()) });
    const body = (
      <>
        <p class="note">{asOf}</p>
        <Calls day={day} reader={reader} />
        <div class="columns">
          <SilentPartners partners={partners} reader={reader} />
          <System state={state} reader={reader} />
        </div>
        <Webhooks day={day} state={state} reader={reader} />
        <CallTable
          title={text('overview.byRoute')}
          column={text('overview.route')}
          rows={day.routes.map((row) => ({
            ...row,
            id: row.route,
            name: <code>{row.route}</code>,
          }))}
          reader={reader}
        />
        <CallTable
          title={text('overview.byKey')}
          column={text('overview.key')}
          rows={day.keys.map((row) => keyRow(row, names, reader))}
          reader={reader}
        />
      </>
    );
    return { body, refreshSeconds };
  }
}

interface Part {
  readonly reader: PageRequest;
}

function keyRow(
  row: DayFigures['keys'][number],
  names: ReadonlyMap<string, KeyNames>,
  { text }: PageRequest,
): CallRow {
  const { keyId } = row;
  if (keyId === null) return { ...row, id: '', name: text('overview.noKey') };
  const { name = keyId, organizationName = '' } = names.get(keyId) ?? {};
  const link = <a href={`${consolePath}/partners/${keyId}`}>{name}</a>;
  return {
    ...row,
    id: keyId,
    name: (
      <>
        {link} <span class="note">{organizationName}</span>
      </>
    ),
  };
}

function Calls({ day, reader }: Part & { readonly day: DayFigures }) {
  const { text, formats } = reader;
  const { total, minutes } = day;
  const share = total.calls === 0 ? 0 : total.failures / total.calls;
  const milliseconds = (value: number | null) =>
    value === null ? '–' : formats.milliseconds(value);
  const figures: KeyFigure[] = [
    { name: text('overview.callsName'), value: formats.number(total.calls) },
    { name: text('overview.refused'), value: formats.number(total.errors - total.failures) },
    {
      name: text('overview.failed'),
      value: formats.number(total.failures),
      mood: share > 0.001 ? 'bad' : 'good',
    },
    { name: text('overview.median'), value: milliseconds(total.medianMs) },
    { name: text('overview.p95'), value: milliseconds(total.p95Ms) },
  ];
  const since = formats.time(minutes[0]?.at ?? new Date(0));
  return (
    <section class="card">
      <h2>{text('overview.calls', { time: since })}</h2>
      <KeyFigures figures={figures} />
      <CallsChart day={day} reader={reader} />
      <LatencyChart day={day} reader={reader} />
    </section>
  );
}

function Webhooks({
  day,
  state: { deliveries, events },
  reader,
}: Part & { readonly day: DayFigures; readonly state: SystemState }) {
  const { text, formats } = reader;
  const unknown = text('overview.unknown');
  const isLate = (deliveries?.lagMs ?? 0) > streamPatienceMs;
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
      <DeliveriesChart day={day} reader={reader} />
    </section>
  );
}

function SilentPartners({
  partners,
  reader: { text, formats },
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
                time: formats.time(partner.lastUsedAt ?? partner.lastHour),
                missed: formats.number(Math.round(partner.missedCalls)),
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function System({ state, reader: { text, formats } }: Part & { readonly state: SystemState }) {
  const { hasPrimary, connections } = state;
  const stream = (silentMs: number | undefined) =>
    silentMs === undefined
      ? text('overview.notRead')
      : text('overview.heardAgo', { duration: formats.duration(silentMs) });
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
    ...(
      [
        ['overview.eventStream', state.eventStreamMs],
        ['overview.feedStream', state.feedStreamMs],
      ] as const
    ).map(([name, silentMs]) => ({
      name: text(name),
      value: stream(silentMs),
      isWell: (silentMs ?? 0) < streamPatienceMs,
    })),
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
