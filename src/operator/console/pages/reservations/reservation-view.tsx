import type { Organization } from '../../../../tenants/organizations/organization.js';
import {
  maxCallbacks,
  type StatusTransition,
  type TimelineEntry,
} from '../../../../reservations/reading/reservation-history.service.js';
import {
  chequeFields,
  chequesInAllWallets,
  reportFields,
  reportsOf,
  reservationFields,
} from '../../../views/reservation.js';
import type { TextKey } from '../../texts/text.js';
import { useReader } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { Card, ValueChange, Code, Facts, When } from '../shared/parts.js';
import { Callback, type CallbackViewProps } from './callback-view.js';

interface ReservationViewProps extends CallbackViewProps {
  readonly organization: Organization;
}

/** The timeline has all reports of callbacks. */
const maxReports = 200;

const eventNames: Readonly<Record<string, TextKey>> = {
  'reservation.created': 'reservation.event.created',
  'reservation.updated': 'reservation.event.updated',
  'wallet.created': 'reservation.event.walletCreated',
  'wallet.deleted': 'reservation.event.walletDeleted',
  'wallet.restored': 'reservation.event.walletRestored',
};

export function ReservationView(shown: ReservationViewProps) {
  const { organization, reservation, history } = shown;
  const { text } = useReader();
  const reports = reportsOf(reservation);
  return (
    <>
      <div class="columns">
        <Card title={text('shared.now')}>
          <FieldList
            organizationId={reservation.organizationId}
            fields={reservationFields}
            item={{
              ...reservation,
              organizationName: organization.name,
              leadNumber: history.leadNumber,
            }}
          />
        </Card>
        <StatusHistory transitions={history.statusPath} />
      </div>
      <Timeline {...shown} />
      <FieldTable
        title={text('reservation.cheques')}
        caption={text('reservation.chequesCaption')}
        fields={chequeFields}
        items={chequesInAllWallets(reservation)}
      />
      <FieldTable
        title={text('reservation.reports')}
        caption={text('reservation.reportsCaption')}
        fields={reportFields}
        items={reports.slice(-maxReports).toReversed()}
        next={reports.length > maxReports ? '' : null}
      />
    </>
  );
}

function StatusHistory({ transitions }: { readonly transitions: readonly StatusTransition[] }) {
  const { text } = useReader();
  return (
    <Card title={text('reservation.statusHistory')}>
      <ol reversed>
        {transitions.toReversed().map(({ from, to, by, at }, index) => (
          <li key={index}>
            {from === null
              ? text('reservation.begins', { to })
              : text('reservation.moves', { from, to })}
            {` · ${text(`reservation.by.${by}`)}`}
            {at !== null && ' · '}
            {at !== null && <When time={at} />}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Timeline(shown: ReservationViewProps) {
  const { text } = useReader();
  const { timeline, isCut } = shown.history;
  return (
    <Card title={text('reservation.timeline')}>
      {isCut && <p class="note">{text('reservation.cut', { count: maxCallbacks })}</p>}
      {timeline.length === 0 && <p class="note">{text('reservation.nothing')}</p>}
      <ol class="timeline">
        {timeline.toReversed().map((entry, index) => (
          <li key={index}>
            <p class="at">
              <When time={entry.at} />
            </p>
            <Entry {...shown} entry={entry} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Entry({ entry, ...shown }: ReservationViewProps & { readonly entry: TimelineEntry }) {
  const { text } = useReader();
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
            {status !== undefined && <ValueChange {...status} />}
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
