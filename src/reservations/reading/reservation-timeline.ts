import { asObjects } from '../../core/database/documents/stored-values.js';
import { asText } from '../../core/values/text.js';
import { minuteMs } from '../../core/values/time.js';
import type { ChangeEvent } from '../../events/outbox/outbox-events.repository.js';
import type { StatusChange } from '../callback/callback-decision.js';
import type { CallbackLogDocument } from '../callback/callback-log.schema.js';
import type { Presented } from '../../core/fields/declared-fields.js';
import type { ChequeHistoryEntry, ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';

export interface CallbackEntry extends Pick<
  CallbackLogDocument,
  'requestId' | 'payload' | 'refusedFields' | 'otherFields' | 'outcome'
> {
  readonly receivedAt: Date;
  readonly organizationId: string;
  readonly apiKeyId: string;
}

export interface TimelineEvent {
  readonly type: string;
  readonly at: Date;
  readonly requestId: string | undefined;
  readonly status?: StatusChange | undefined;
}

type ChequeReportEntry = Presented<ChequeHistoryEntry> & { readonly installmentId: string };

export type TimelineEntry = { readonly at: Date } & (
  | { readonly kind: 'callback'; readonly callback: CallbackEntry }
  /** Caused by a request other than a callback, or by a callback whose log entry has expired. */
  | { readonly kind: 'event'; readonly event: TimelineEvent }
  /** Reported by a callback whose log entry has expired. */
  | { readonly kind: 'report'; readonly report: ChequeReportEntry }
);

/** `from` is null before the first known status. */
export interface StatusTransition {
  readonly from: string | null;
  readonly to: string;
  /** `unknown`: another program, or a change before the retained history. */
  readonly by: 'callback' | 'request' | 'unknown';
  readonly at: Date | null;
}

export interface TimelineSources {
  /** Callbacks of the reservation's own organization only. */
  readonly callbacks: readonly CallbackEntry[];
  readonly events: readonly TimelineEvent[];
  readonly wallets: readonly Pick<Presented<ChequeWalletDocument>, 'cheques'>[];
}

/** Log entry, events and reports of one request are stored within this time. */
const sameRequestMs = minuteMs;

/** Returns the oldest first. A callback replaces its events and its report. */
export function reservationTimeline({
  callbacks,
  events,
  wallets,
}: TimelineSources): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...callbacks.map((callback) => {
      return { kind: 'callback' as const, at: callback.receivedAt, callback };
    }),
    ...events
      .filter((event) => !callbacks.some((callback) => hasEmitted(callback, event)))
      .map((event) => ({ kind: 'event' as const, at: event.at, event })),
    ...unloggedReports(wallets, callbacks),
  ];
  return entries.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** Connects known changes up to the current status; unknown ones fill the gaps. */
export function statusPath(
  timeline: readonly TimelineEntry[],
  currentStatus: string,
): StatusTransition[] {
  const path: StatusTransition[] = [];
  const fillGap = (to: string | null) => {
    const from = path.at(-1)?.to ?? null;
    if (to !== null && to !== from) path.push({ from, to, by: 'unknown', at: null });
  };
  for (const transition of timeline.flatMap((entry) => statusTransition(entry) ?? [])) {
    if (path.length > 0) fillGap(transition.from);
    path.push(transition);
  }
  fillGap(currentStatus);
  return path;
}

function statusTransition(entry: TimelineEntry): StatusTransition | null {
  const { at } = entry;
  if (entry.kind === 'callback') {
    const { reservation } = entry.callback.outcome.effects ?? {};
    return reservation === undefined ? null : { ...reservation, by: 'callback', at };
  }
  if (entry.kind === 'report') return null;
  const { status, type } = entry.event;
  if (status === undefined || status.from === status.to) return null;
  return { ...status, by: type.startsWith('reservation.') ? 'request' : 'unknown', at };
}

/** Clients may send several requests with one id, so the times are compared too. */
function hasEmitted({ requestId, receivedAt, outcome }: CallbackEntry, event: TimelineEvent) {
  return (
    outcome.effects !== undefined &&
    requestId === event.requestId &&
    Math.abs(receivedAt.getTime() - event.at.getTime()) < sameRequestMs
  );
}

function unloggedReports(
  wallets: TimelineSources['wallets'],
  callbacks: readonly CallbackEntry[],
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
    const own = [...unused].find((callback) => hasReported(callback, report, at));
    if (own === undefined) return [{ kind: 'report', at, report }];
    unused.delete(own);
    return [];
  });
}

function hasReported(
  { payload, receivedAt, outcome }: CallbackEntry,
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

export function timelineEvent(event: ChangeEvent): TimelineEvent {
  const { type, createdAt: at, requestId } = event;
  return { type, at, requestId, status: statusChange(event) };
}

export function statusChange({ type, data, changes }: ChangeEvent): StatusChange | undefined {
  if (type === 'reservation.created' || type === 'unit.created') {
    return { from: null, to: asText((data as { readonly status?: unknown }).status) };
  }
  const change = asObjects(changes).find(({ field }) => field === 'status');
  return change && { from: asText(change['from']) || null, to: asText(change['to']) };
}
