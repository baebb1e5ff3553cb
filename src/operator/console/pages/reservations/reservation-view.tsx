import type { ComponentChildren } from 'preact';
import type { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import {
  mostCallbacks,
  type ReservationHistory,
  type TimelineCallback,
  type TimelineEntry,
} from '../../../../reservations/reading/reservation-history.service.js';
import { sentFields } from '../../../../reservations/callback/callback-record.js';
import type { InspectedReservation } from '../../../../reservations/reading/reservation-inspection.service.js';
import type { TextKey } from '../../texts/text.js';
import type { PageRequest } from '../page.js';
import { Card, Change, Code, DataTable, Facts, Link, When } from '../shared/parts.js';
import { UnitLink } from './reservation-rows.js';
import { WayView } from './way-view.js';

interface ShownReservation {
  readonly request: PageRequest;
  readonly organization: Organization;
  readonly reservation: InspectedReservation;
  readonly history: ReservationHistory;
  readonly keys: Awaited<ReturnType<ApiKeysService['list']>>;
}

/** More reports about one cheque are counted only: the timeline has all that callbacks made. */
const mostReports = 20;

/** What an event is called. */
const eventNames: Readonly<Record<string, TextKey>> = {
  'reservation.created': 'reservation.event.created',
  'reservation.updated': 'reservation.event.updated',
  'wallet.created': 'reservation.event.walletCreated',
  'wallet.deleted': 'reservation.event.walletDeleted',
  'wallet.restored': 'reservation.event.walletRestored',
};

/** What the page of a reservation shows. */
export function ReservationView(shown: ShownReservation) {
  const { request, history } = shown;
  return (
    <>
      <div class="columns">
        <AsItIs {...shown} />
        <WayView request={request} way={history.way} />
      </div>
      <Timeline {...shown} />
      <Cheques {...shown} />
    </>
  );
}

function AsItIs({ request, organization, reservation }: ShownReservation) {
  const { text } = request;
  const { unit, unitId, leadId, status, isDeleted } = reservation;
  const organizationId = organization._id.toHexString();
  const unitStatus = unit === null ? text('reservation.unitMissing') : (unit.status ?? '–');
  return (
    <Card title={text('reservation.facts')}>
      <Facts
        facts={[
          [text('shared.organization'), organization.name],
          [text('shared.id'), <Code>{reservation._id}</Code>],
          [text('shared.externalId'), <Code>{reservation.recordSystemId ?? '–'}</Code>],
          [
            text('shared.status'),
            <>
              <Code>{status}</Code>
              {isDeleted && ` (${text('shared.deleted')})`}
            </>,
          ],
          [
            text('shared.unit'),
            unitId && <UnitLink {...{ organizationId, unitId }}>{unit?.slug ?? unitId}</UnitLink>,
          ],
          [
            text('reservation.unitStatus'),
            unit?.isDeleted ? `${unitStatus} (${text('shared.deleted')})` : unitStatus,
          ],
          [
            text('shared.lead'),
            leadId && (
              <Link to={`/leads/${organizationId}/${leadId}`}>
                <Code>{leadId}</Code>
              </Link>
            ),
          ],
          [
            text('reservation.partner'),
            text(reservation.partnerCollection.isActive ? 'shared.active' : 'shared.inactive'),
          ],
          [text('reservation.wallet'), walletState(request, reservation)],
          [text('reservation.approved'), <When request={request} time={reservation.approvedAt} />],
          [text('reservation.canceled'), <When request={request} time={reservation.canceledAt} />],
          [text('shared.created'), <When request={request} time={reservation.createdAt} />],
          [text('shared.updated'), <When request={request} time={reservation.updatedAt} />],
        ]}
      />
    </Card>
  );
}

function walletState({ text, formats }: PageRequest, { wallets }: InspectedReservation): string {
  const [first] = wallets;
  if (first === undefined) return text('reservation.walletNone');
  if (!first.isDeleted) return text('shared.active');
  const time = first.deletedAt === null ? '–' : formats.time(new Date(first.deletedAt));
  return text('reservation.walletDeleted', { time });
}

function Timeline(shown: ShownReservation) {
  const { request, history } = shown;
  const { text } = request;
  const { timeline, isCut } = history;
  return (
    <Card title={text('reservation.timeline')}>
      {isCut && <p class="note">{text('reservation.cut', { count: mostCallbacks })}</p>}
      {timeline.length === 0 && <p class="note">{text('reservation.nothing')}</p>}
      <ol class="timeline">
        {timeline.map((entry, index) => (
          <li key={index}>
            <p class="at">
              <When request={request} time={entry.at} />
            </p>
            <Entry {...shown} entry={entry} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Entry({ entry, ...shown }: ShownReservation & { readonly entry: TimelineEntry }) {
  const { text } = shown.request;
  switch (entry.kind) {
    case 'callback':
      return <Callback {...shown} callback={entry.callback} />;
    case 'event': {
      const { type, status, requestId } = entry.event;
      const name = eventNames[type];
      return (
        <div>
          <p>
            <b>{name === undefined ? type : text(name)}</b>{' '}
            {status !== undefined && <Change {...status} />}
          </p>
          <Facts facts={[[text('shared.request'), requestId && <Code>{requestId}</Code>]]} />
        </div>
      );
    }
    case 'report': {
      const { installmentId, status, source } = entry.report;
      return (
        <p>
          <b>{text('reservation.report', { installment: installmentId, status })}</b>{' '}
          {text('reservation.reportBy', { source })}
        </p>
      );
    }
    default:
      return entry satisfies never;
  }
}

function Callback({
  request,
  callback,
  keys,
}: ShownReservation & { readonly callback: TimelineCallback }) {
  const { text } = request;
  const { outcome, otherFields, apiKeyId, requestId } = callback;
  const { status, messages } = outcome;
  const isRefused = status >= 400;
  const key = keys.find(({ _id }) => _id.toHexString() === apiKeyId)?.name ?? apiKeyId;
  return (
    <div>
      <p>
        <b>{text('reservation.callback')}</b>{' '}
        <span class={isRefused ? 'bad' : 'good'}>
          {text(isRefused ? 'reservation.refused' : 'reservation.accepted', { status })}
        </span>
      </p>
      <Facts
        facts={[
          [
            text('reservation.sent'),
            <span dir="ltr">
              {sentFields(callback).map((field) => (
                <code key={field}>{`${field} `}</code>
              ))}
            </span>,
          ],
          [text('reservation.otherFields'), otherFields > 0 && otherFields],
          [text('reservation.why'), messages.join(' ')],
          [text('reservation.did'), <Effects request={request} outcome={outcome} />],
          [text('shared.key'), key],
          [text('shared.request'), <Code>{requestId}</Code>],
        ]}
      />
    </div>
  );
}

function Effects({
  request: { text },
  outcome,
}: {
  readonly request: PageRequest;
  readonly outcome: TimelineCallback['outcome'];
}) {
  const { reservation, cheque, effects, status } = outcome;
  if (effects === undefined) {
    if (status >= 400) return <>{text('reservation.didNothing')}</>;
    return <>{text('reservation.didUnknown', { reservation, cheque })}</>;
  }
  const lines: (readonly [TextKey, ComponentChildren])[] = [
    ...(effects.reservation === undefined
      ? []
      : ([['reservation.didReservation', <Change {...effects.reservation} />]] as const)),
    ...(effects.cheque === undefined
      ? []
      : ([['reservation.didCheque', <Change {...effects.cheque} />]] as const)),
    ...(effects.unit === undefined
      ? []
      : ([['reservation.didUnit', <Change {...effects.unit} />]] as const)),
    ...(effects.wallet === undefined
      ? []
      : ([[`reservation.didWallet.${effects.wallet}`, null]] as const)),
    ...(reservation === 'ignored' ? ([['reservation.didIgnored', null]] as const) : []),
    ...(cheque === 'skipped' ? ([['reservation.didSkipped', null]] as const) : []),
  ];
  if (lines.length === 0) return <>{text('reservation.didNothing')}</>;
  return (
    <ul class="plain">
      {lines.map(([name, change]) => (
        <li key={name}>
          {text(name)} {change}
        </li>
      ))}
    </ul>
  );
}

function Cheques({ request, reservation }: ShownReservation) {
  const { text, formats } = request;
  const rows = reservation.wallets.flatMap(({ cheques, isDeleted }) =>
    cheques.map((cheque) => [
      <Code>{cheque.installmentId}</Code>,
      <Code>{cheque.status}</Code>,
      <Code>{cheque.chequeNumber ?? '–'}</Code>,
      cheque.chequeAmount === undefined ? '–' : formats.number(cheque.chequeAmount),
      cheque.dueDate === undefined ? '–' : cheque.dueDate.slice(0, 10),
      text(isDeleted ? 'shared.deleted' : 'shared.active'),
      <Reports request={request} history={cheque.statusHistory} />,
    ]),
  );
  return (
    <Card title={text('reservation.cheques')}>
      <DataTable
        request={request}
        caption={text('reservation.chequesCaption')}
        columns={[
          text('reservation.installment'),
          text('shared.status'),
          text('reservation.number'),
          text('reservation.amount'),
          text('reservation.due'),
          text('reservation.wallet'),
          text('reservation.reports'),
        ]}
        rows={rows}
      />
    </Card>
  );
}

type StatusHistory = InspectedReservation['wallets'][number]['cheques'][number]['statusHistory'];

function Reports({
  request,
  history,
}: {
  readonly request: PageRequest;
  readonly history: StatusHistory;
}) {
  const { text, formats } = request;
  if (history.length === 0) return <>–</>;
  const before = history.length - mostReports;
  return (
    <ol class="plain">
      {before > 0 && <li>{text('reservation.moreReports', { count: before })}</li>}
      {history
        .slice(-mostReports)
        .map(({ status, changedAt, chequeNumber, chequeAmount }, index) => (
          <li key={index}>
            <Code>{status}</Code> <When request={request} time={changedAt} />
            {chequeNumber !== undefined && ` ${chequeNumber}`}
            {chequeAmount !== undefined && ` ${formats.number(chequeAmount)}`}
          </li>
        ))}
    </ol>
  );
}
