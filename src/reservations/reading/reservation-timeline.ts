import type { CallbackLogDocument } from '../callback/callback-log.schema.js';
import type { StatusChange } from '../callback/callback-decision.js';
import { minuteMs } from '../../core/values/durations.js';
import type { ChequeHistoryEntryDto, ChequeWalletDto } from './reservation.dto.js';

/** A logged callback of the reservation's own organization. */
export interface TimelineCallback extends Pick<
  CallbackLogDocument,
  'requestId' | 'payload' | 'refusedFields' | 'otherFields' | 'outcome'
> {
  readonly receivedAt: Date;
  readonly apiKeyId: string;
}

/** What an event tells of the reservation or a wallet of it. */
export interface TimelineEvent {
  readonly type: string;
  readonly at: Date;
  readonly requestId: string | undefined;
  /** Of the reservation, where the event says so. */
  readonly status?: StatusChange | undefined;
}

interface At {
  readonly at: Date;
}

/** One thing that happened to a reservation. */
export type TimelineEntry = At &
  (
    | { readonly kind: 'callback'; readonly callback: TimelineCallback }
    /** By a request that is no callback, or by one that is logged no more. */
    | { readonly kind: 'event'; readonly event: TimelineEvent }
    /** A report about a cheque whose callback is logged no more. */
    | { readonly kind: 'report'; readonly report: ChequeReportEntry }
  );

interface ChequeReportEntry extends ChequeHistoryEntryDto {
  readonly installmentId: string;
}

/** From one status to another one; null before the first that is known. */
export interface Move {
  readonly from: string | null;
  readonly to: string;
  /** `unknown` is another program, or a time of which nothing is kept. */
  readonly by: 'callback' | 'request' | 'unknown';
  /** Null where it is not known. */
  readonly at: Date | null;
}

/** What is known of a reservation's past. */
export interface ReservationPast {
  readonly callbacks: readonly TimelineCallback[];
  readonly events: readonly TimelineEvent[];
  readonly wallets: readonly Pick<ChequeWalletDto, 'cheques'>[];
}

/** What one request stores is stored within this time. */
const sameRequestMs = minuteMs;

/**
 * What happened to a reservation, oldest first: each callback once, with all that it did, and what no
 * logged callback did.
 */
export function reservationTimeline({
  callbacks,
  events,
  wallets,
}: ReservationPast): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...callbacks.map((callback) => {
      return { kind: 'callback' as const, at: callback.receivedAt, callback };
    }),
    ...events
      .filter((event) => !callbacks.some((callback) => tellsOf(callback, event)))
      .map((event) => ({ kind: 'event' as const, at: event.at, event })),
    ...unloggedReports(wallets, callbacks),
  ];
  return entries.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** The statuses that a reservation had, as far as they are known, up to the one that it has. */
export function wayOf(timeline: readonly TimelineEntry[], status: string): Move[] {
  const way: Move[] = [];
  const add = (move: Move) => {
    const current = way.at(-1)?.to;
    if (current !== undefined && move.from !== null && move.from !== current) {
      way.push({ from: current, to: move.from, by: 'unknown', at: null });
    }
    way.push(move);
  };
  for (const entry of timeline) {
    const move = moveOf(entry);
    if (move !== null) add(move);
  }
  const last = way.at(-1)?.to ?? null;
  if (last !== status) way.push({ from: last, to: status, by: 'unknown', at: null });
  return way;
}

function moveOf(entry: TimelineEntry): Move | null {
  switch (entry.kind) {
    case 'callback': {
      const { reservation } = entry.callback.outcome.effects ?? {};
      return reservation === undefined ? null : { ...reservation, by: 'callback', at: entry.at };
    }
    case 'event': {
      const { status, type } = entry.event;
      if (status === undefined || status.from === status.to) return null;
      return {
        ...status,
        by: type.startsWith('reservation.') ? 'request' : 'unknown',
        at: entry.at,
      };
    }
    case 'report':
      return null;
    // Stryker disable next-line ConditionalExpression: there is no other kind, as the compiler checks.
    default:
      return entry satisfies never;
  }
}

/** Whether a callback says all that an event does. A client may give several requests one id. */
function tellsOf({ requestId, receivedAt, outcome }: TimelineCallback, event: TimelineEvent) {
  return (
    outcome.effects !== undefined &&
    requestId === event.requestId &&
    Math.abs(receivedAt.getTime() - event.at.getTime()) < sameRequestMs
  );
}

/** The reports in the history of cheques that none of the callbacks has made. */
function unloggedReports(
  wallets: ReservationPast['wallets'],
  callbacks: readonly TimelineCallback[],
): TimelineEntry[] {
  const unused = new Set(callbacks);
  const reports = wallets.flatMap(({ cheques }) =>
    cheques.flatMap(({ installmentId, statusHistory }) =>
      statusHistory.map((report) => ({ ...report, installmentId })),
    ),
  );
  return reports.flatMap((report): TimelineEntry[] => {
    const at = new Date(report.changedAt ?? Number.NaN);
    if (Number.isNaN(at.getTime())) return [];
    const own = [...unused].find((callback) => hasMade(callback, report, at));
    if (own === undefined) return [{ kind: 'report', at, report }];
    unused.delete(own);
    return [];
  });
}

function hasMade(
  { payload, receivedAt, outcome }: TimelineCallback,
  { installmentId, status }: ChequeReportEntry,
  at: Date,
): boolean {
  return (
    outcome.cheque === 'applied' &&
    payload['installmentId'] === installmentId &&
    payload['chequeStatus'] === status &&
    Math.abs(receivedAt.getTime() - at.getTime()) < sameRequestMs
  );
}
