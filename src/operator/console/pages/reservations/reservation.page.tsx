import {
  maxCallbacks,
  type StatusTransition,
  type TimelineEntry,
} from '../../../../reservations/reading/reservation-lookup.service.js';
import {
  chequeFields,
  chequesInAllWallets,
  reportFields,
  reportsOf,
  reservationFields,
} from '../../../views/reservation.js';
import { type ConsolePage, useRenderContext } from '../page.js';
import { FieldList, FieldTable, type PageField } from '../shared/tables.js';
import { recordFromPath } from '../shared/organizations.js';
import { Card, Code, ValueChange, Timestamp } from '../shared/components.js';
import { Callback, type CallbackContext } from './callback.js';

/** Limits the table of reports; the timeline still shows every report of a callback. */
const maxReports = 200;

/** Answers the question "why was this cheque rejected?". */
export const reservationPage: ConsolePage = {
  path: '/reservations/:organization/:id',
  title: 'shared.reservation',
  async read(request) {
    const { text, services } = request;
    const record = await recordFromPath(request);
    const reservation =
      record && (await services.reservations.inspect(record.organization._id, record.id));
    if (record === null || reservation === null) return null;
    const { organization } = record;
    const [history, keys] = await Promise.all([
      services.reservations.historyOf(reservation),
      services.keys.list(organization._id),
    ]);
    const { timeline, leadNumber } = history;
    const body = (
      <>
        <div class="columns">
          <FieldList
            title={text('shared.now')}
            fields={reservationFields}
            item={{ ...reservation, organizationName: organization.name, leadNumber }}
          />
          <Card title={text('reservation.statusHistory')}>
            <ol reversed>
              {history.statusPath.toReversed().map((transition, index) => (
                <Transition key={index} {...transition} />
              ))}
            </ol>
          </Card>
        </div>
        <Card title={text('reservation.timeline')}>
          {history.isCut && <p class="note">{text('reservation.cut', { count: maxCallbacks })}</p>}
          {timeline.length === 0 && <p class="note">{text('reservation.nothing')}</p>}
          <ol class="timeline">
            {timeline.toReversed().map((entry, index) => (
              <li key={index}>
                <p class="note">
                  <Timestamp time={entry.at} />
                </p>
                <Entry entry={entry} context={{ reservation, history, keys }} />
              </li>
            ))}
          </ol>
        </Card>
        <FieldTable
          title={text('reservation.cheques')}
          fields={chequeFields}
          items={chequesInAllWallets(reservation)}
        />
        <FieldTable
          title={text('reservation.reports')}
          fields={reportFields}
          items={reportsOf(reservation).toReversed()}
          limit={maxReports}
        />
      </>
    );
    return { name: reservation.recordSystemId ?? reservation._id, body };
  },
};

function Transition({ from, to, by, at }: StatusTransition) {
  const { text } = useRenderContext();
  return (
    <li>
      {from === null ? text('reservation.begins', { to }) : text('reservation.moves', { from, to })}
      {` · ${text(`reservation.by.${by}`)}`}
      {at !== null && ' · '}
      {at !== null && <Timestamp time={at} />}
    </li>
  );
}

type TimelineEvent = Extract<TimelineEntry, { kind: 'event' }>['event'];

const eventFields: readonly PageField<TimelineEvent>[] = [
  { title: 'shared.event', kind: 'code', of: ({ type }) => type },
  { title: 'shared.status', show: ({ status }) => status && <ValueChange {...status} /> },
  { title: 'shared.request', show: ({ requestId }) => requestId && <Code>{requestId}</Code> },
];

const timelineReportFields = reportFields.filter(({ title }) => title !== 'reservation.reported');

function Entry({
  entry,
  context,
}: {
  readonly entry: TimelineEntry;
  readonly context: CallbackContext;
}) {
  switch (entry.kind) {
    case 'callback':
      return <Callback {...context} callback={entry.callback} />;
    case 'event':
      return <FieldList fields={eventFields} item={entry.event} />;
    case 'report':
      return <FieldList fields={timelineReportFields} item={entry.report} />;
    default:
      return entry satisfies never;
  }
}
