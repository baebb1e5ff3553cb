import type { ComponentChildren } from 'preact';
import type { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import {
  mostCallbacks,
  type Move,
  type ReservationHistory,
  type TimelineCallback,
  type TimelineEntry,
} from '../../../../reservations/reading/reservation-history.service.js';
import type { InspectedReservation } from '../../../../reservations/reading/reservation-inspection.service.js';
import {
  callbackFields,
  chequeFields,
  chequesOf,
  reportFields,
  reportsOf,
  reservationFields,
} from '../../../views/reservation.js';
import type { TextKey } from '../../texts/text.js';
import type { PageRequest } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { Card, Change, Code, Facts, When } from '../shared/parts.js';

interface ShownReservation {
  readonly request: PageRequest;
  readonly organization: Organization;
  readonly reservation: InspectedReservation;
  readonly history: ReservationHistory;
  readonly keys: Awaited<ReturnType<ApiKeysService['list']>>;
}

/** More reports are counted only: the timeline has all that callbacks made. */
const mostReports = 200;

/** The events that have names of their own. */
const eventNames: Readonly<Record<string, TextKey>> = {
  'reservation.created': 'reservation.event.created',
  'reservation.updated': 'reservation.event.updated',
  'wallet.created': 'reservation.event.walletCreated',
  'wallet.deleted': 'reservation.event.walletDeleted',
  'wallet.restored': 'reservation.event.walletRestored',
};

/** All cards of the page of a reservation. */
export function ReservationView(shown: ShownReservation) {
  const { request, organization, reservation, history } = shown;
  const { text } = request;
  const reports = reportsOf(reservation);
  return (
    <>
      <div class="columns">
        <Card title={text('shared.now')}>
          <FieldList
            request={request}
            organizationId={reservation.organizationId}
            fields={reservationFields}
            item={{ ...reservation, organizationName: organization.name }}
          />
        </Card>
        <StatusHistory request={request} moves={history.way} />
      </div>
      <Timeline {...shown} />
      <FieldTable
        request={request}
        title={text('reservation.cheques')}
        caption={text('reservation.chequesCaption')}
        fields={chequeFields}
        items={chequesOf(reservation)}
      />
      <FieldTable
        request={request}
        title={text('reservation.reports')}
        caption={text('reservation.reportsCaption')}
        fields={reportFields}
        items={reports.slice(-mostReports)}
        next={reports.length > mostReports ? '' : null}
      />
    </>
  );
}

function StatusHistory({
  request,
  moves,
}: {
  readonly request: PageRequest;
  readonly moves: readonly Move[];
}) {
  const { text } = request;
  return (
    <Card title={text('reservation.statusHistory')}>
      <ol>
        {moves.map(({ from, to, by, at }, index) => (
          <li key={index}>
            {from === null
              ? text('reservation.begins', { to })
              : text('reservation.moves', { from, to })}
            {` · ${text(`reservation.by.${by}`)}`}
            {at !== null && ' · '}
            {at !== null && <When request={request} time={at} />}
          </li>
        ))}
      </ol>
    </Card>
  );
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
  const { outcome, otherFields } = callback;
  const { status } = outcome;
  const isRefused = status >= 400;
  const key = keys.find(({ _id }) => _id.toHexString() === callback.apiKeyId)?.name;
  return (
    <div>
      <p>
        <b>{text('reservation.callback')}</b>{' '}
        <span class={isRefused ? 'bad' : 'good'}>
          {text(isRefused ? 'reservation.refused' : 'reservation.accepted', { status })}
        </span>
      </p>
      <FieldList
        request={request}
        fields={[
          callbackFields.sent,
          ...(otherFields > 0 ? [callbackFields.otherFields] : []),
          ...(outcome.messages.length > 0 ? [callbackFields.why] : []),
          {
            title: 'reservation.did',
            show: () => <Effects request={request} outcome={outcome} />,
          },
          { title: 'shared.key', kind: 'text', of: ({ apiKeyId }) => key ?? apiKeyId },
          callbackFields.request,
        ]}
        item={callback}
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
  const changes = [
    ['shared.reservation', effects.reservation],
    ['reservation.cheque', effects.cheque],
    ['shared.unit', effects.unit],
  ] as const;
  const lines: ComponentChildren[] = [
    ...changes.flatMap(([title, change]) =>
      change === undefined ? [] : [[`${text(title)} `, <Change {...change} />]],
    ),
    ...(effects.wallet === undefined ? [] : [text(`reservation.didWallet.${effects.wallet}`)]),
    ...(reservation === 'ignored' ? [text('reservation.didIgnored')] : []),
    ...(cheque === 'skipped' ? [text('reservation.didSkipped')] : []),
  ];
  if (lines.length === 0) return <>{text('reservation.didNothing')}</>;
  return (
    <ul class="plain">
      {lines.map((line, index) => (
        <li key={index}>{line}</li>
      ))}
    </ul>
  );
}
