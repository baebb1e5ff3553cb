import {
  type CallbackEntry,
  maxCallbacks,
  type ReservationHistory,
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
import { Badge, Card, Copyable, Empty, Time, ValueChange } from '../../components/components.js';
import { DetailsLine, FieldList, Table, TableCard } from '../../components/tables.js';
import type { ConsolePage } from '../../page.js';
import { recordFromPath } from '../record.js';
import { CallbackDetails, type CallbackContext, callbackLine, problemOf } from './callback.js';

const refreshSeconds = 60;

/** Answers why a cheque was refused, and why a callback changed nothing. */
export const reservationPage: ConsolePage = {
  path: '/reservations/:organization/:id',
  title: 'Reservation',
  async read(request) {
    const { services } = request;
    const record = await recordFromPath(request);
    const reservation =
      record && (await services.reservations.inspect(record.organization._id, record.id));
    if (record === null || reservation === null) return null;
    const { organization } = record;
    const [history, keys] = await Promise.all([
      services.reservations.historyOf(reservation),
      services.keys.list(organization._id),
    ]);
    const callbacks = history.timeline.flatMap((entry) =>
      entry.kind === 'callback' ? [entry.callback] : [],
    );
    const withIgnored = callbacks.filter(({ otherFields }) => otherFields > 0);
    const logged = await services.requestLog.findByRequestIds({
      organizationId: organization._id,
      requestIds: withIgnored.map(({ requestId }) => requestId),
    });
    // A key may use an id again: the oldest comes last, and must not hide the newest.
    const ignored = new Map(
      logged
        .toReversed()
        .map(({ keyId, requestId, ignoredFields }) => [`${keyId} ${requestId}`, ignoredFields]),
    );
    const context = { reservation, history, keys, ignored };
    const { timeline, leadNumber } = history;
    const reports = reportsOf(reservation).toReversed();
    const body = (
      <>
        <LastProblem callbacks={callbacks} context={context} />
        <Card title="Now">
          <FieldList
            fields={reservationFields.filter(({ title }) => title !== 'Organization')}
            item={{ ...reservation, leadNumber }}
          />
          <StatusPath history={history} />
        </Card>
        <TableCard
          title="Cheques"
          fields={chequeFields}
          items={chequesInAllWallets(reservation)}
          empty={['No cheques', 'The cheques of the reservation’s wallets are listed here.']}
        />
        <Card title="Timeline" note="Callbacks of partners, and changes by other requests" isFlush>
          {timeline.length === 0 && (
            <Empty title="Nothing has happened yet">
              Callbacks, what they changed and why they were refused are listed here.
            </Empty>
          )}
          <ol class="list-group list-group-flush">
            {timeline.toReversed().map((entry, index) => (
              <Entry key={index} entry={entry} context={context} />
            ))}
          </ol>
          {history.isCut && (
            <p class="card-footer mb-0">Only the newest {maxCallbacks} callbacks are shown.</p>
          )}
        </Card>
        {reports.length > 0 && (
          <Card isFlush>
            <details>
              <summary class="card-body">All {reports.length} reports of cheques</summary>
              <Table label="Reports of cheques" fields={reportFields} items={reports} />
            </details>
          </Card>
        )}
      </>
    );
    return {
      heading: `Reservation ${reservation.recordSystemId ?? reservation._id}`,
      summary: organization.name,
      refreshSeconds,
      body,
    };
  },
};

/** The newest callback that did not do what its partner wanted, which is what a reader asks about. */
function LastProblem({
  callbacks,
  context,
}: {
  readonly callbacks: readonly CallbackEntry[];
  readonly context: CallbackContext;
}) {
  const callback = callbacks.findLast((candidate) => problemOf(candidate) !== null);
  if (callback === undefined) return null;
  return (
    <Card
      title={
        callback.outcome.status >= 400
          ? 'The last refused callback'
          : 'The last callback without effect'
      }
      note={<Time time={callback.receivedAt} />}
    >
      <CallbackDetails {...context} callback={callback} />
    </Card>
  );
}

function StatusPath({ history: { statusPath } }: { readonly history: ReservationHistory }) {
  if (statusPath.length < 2) return null;
  return (
    <p class="mt-3 mb-0">
      <span class="text-secondary">Status over time: </span>
      {statusPath[0]?.from}
      {statusPath.map((transition, index) => (
        <Transition key={index} {...transition} />
      ))}
    </p>
  );
}

const causes = {
  callback: 'by a callback',
  request: 'by a request',
  unknown: 'by another program or before what is kept',
} as const;

function Transition({ from, to, by, at }: StatusTransition) {
  return (
    <>
      {from !== null && ' → '}
      <strong>{to}</strong>{' '}
      <span class="text-secondary">
        ({causes[by]}
        {at !== null && ', '}
        {at !== null && <Time time={at} />})
      </span>
    </>
  );
}

function Entry({
  entry,
  context,
}: {
  readonly entry: TimelineEntry;
  readonly context: CallbackContext;
}) {
  const time = <Time time={entry.at} />;
  if (entry.kind === 'callback') {
    return (
      <DetailsLine line={[time, ...callbackLine(entry.callback, context)]}>
        <CallbackDetails {...context} callback={entry.callback} />
      </DetailsLine>
    );
  }
  if (entry.kind === 'event') {
    const { type, status, requestId } = entry.event;
    return (
      <DetailsLine
        line={[
          time,
          <Badge severity="note">{type}</Badge>,
          status ? <ValueChange {...status} /> : '',
        ]}
      >
        {requestId === undefined ? (
          'Not by a request.'
        ) : (
          <>
            Request <Copyable value={requestId} />
          </>
        )}
      </DetailsLine>
    );
  }
  const { installmentId, status } = entry.report;
  return (
    <DetailsLine line={[time, <Badge severity="note">report</Badge>, `${installmentId} ${status}`]}>
      <FieldList fields={reportFields} item={entry.report} />
    </DetailsLine>
  );
}
