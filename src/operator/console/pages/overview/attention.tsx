import { minuteMs, dayMs } from '../../../../core/values/time.js';
import type { FailingEndpoint } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import type { Backlog } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import type { Partner } from '../../../usage/partners.service.js';
import type { DailyStats } from '../../../usage/usage-stats.service.js';
import type { TextKey } from '../../texts/text.js';
import { type Reader, useReader } from '../page.js';
import { maskedUrl } from '../shared/masking.js';
import { Card, Link } from '../shared/parts.js';

export interface AttentionLine {
  readonly kind: TextKey;
  readonly reason: string;
  readonly link: { readonly name: string; readonly to: string };
}

/** The state of the system; null where the database did not respond in time. */
export interface SystemState {
  readonly hasPrimary: boolean;
  readonly connections: { readonly inUse: number; readonly open: number };
  readonly deliveries: Backlog | null;
  readonly events: Backlog | null;
  readonly partners: readonly Partner[] | null;
  readonly endpoints: readonly FailingEndpoint[] | null;
  readonly day: DailyStats | null;
}

/** Younger work is not late. */
const maxLagMs = minuteMs;
/** Enough time to move a partner to another key. */
const expiryNoticeMs = 14 * dayMs;
/** Further lines of a kind are only counted. */
const maxLinesPerKind = 10;

export function attentionLines(state: SystemState, reader: Reader, now: Date): AttentionLine[] {
  const { text } = reader;
  const database = { name: text('overview.database'), to: '/#database' };
  const partners = state.partners ?? [];
  return [
    ...(state.hasPrimary
      ? []
      : [
          {
            kind: 'attention.database',
            reason: text('attention.databaseReason'),
            link: database,
          } as const,
        ]),
    ...backlogLines('attention.events', state.events, reader),
    ...backlogLines('attention.deliveries', state.deliveries, reader),
    ...(state.endpoints ?? []).map((endpoint) => endpointLine(endpoint, reader)),
    ...partners.flatMap((partner) => stateLines(partner, reader)),
    ...partners.flatMap((partner) => mostlyIgnoredLines(partner, state.day, reader)),
    ...partners.flatMap((partner) => expiryLines(partner, reader, now)),
  ];
}

function backlogLines(
  kind: 'attention.events' | 'attention.deliveries',
  backlog: Backlog | null,
  { text, formats }: Reader,
): AttentionLine[] {
  if (backlog === null || backlog.lagMs <= maxLagMs) return [];
  const count = formats.number(backlog.count);
  const reason = text('attention.behind', { count, time: formats.duration(backlog.lagMs) });
  return [{ kind, reason, link: { name: text('webhooks.title'), to: '/webhooks' } }];
}

function endpointLine(
  { endpoint, lastAttempt, failedAttempts }: FailingEndpoint,
  { text, formats }: Reader,
): AttentionLine {
  const { _id, url, isEnabled, disabledReason, fault, failingSince } = endpoint;
  const link = { name: maskedUrl(url), to: `/webhooks/${_id}` };
  if (isEnabled && failingSince === null)
    return { kind: 'attention.endpointFault', reason: fault ?? '', link };
  const since = text('attention.failing', {
    since: failingSince === null ? '–' : formats.time(failingSince),
    response: lastAttempt?.statusCode ?? lastAttempt?.error ?? '–',
    attempts: formats.number(failedAttempts),
    retries: formats.number(Math.max(0, (lastAttempt?.attempt ?? 0) - 1)),
  });
  if (isEnabled) return { kind: 'attention.endpoint', reason: since, link };
  const why = text(disabledReason === 'gone' ? 'endpoint.reason.gone' : 'endpoint.reason.failing');
  const reason = `${text('attention.off', { why })} ${since}`;
  return { kind: 'attention.endpointOff', reason, link };
}

function stateLines(partner: Partner, { text, formats }: Reader): AttentionLine[] {
  const { state, lastCallAt, missedCalls, errors, calls } = partner;
  const link = linkOf(partner);
  if (state === 'silent') {
    const values = { time: formats.time(lastCallAt), missed: formats.number(missedCalls) };
    return [{ kind: 'attention.silent', reason: text('attention.silentReason', values), link }];
  }
  if (state !== 'failing') return [];
  const values = { errors: formats.number(errors), calls: formats.number(calls) };
  return [{ kind: 'attention.refused', reason: text('attention.refusedReason', values), link }];
}

/** A partner most of whose lead requests of a day had mostly ignored fields (rule OPS-37). */
function mostlyIgnoredLines(
  partner: Partner,
  day: DailyStats | null,
  { text, formats }: Reader,
): AttentionLine[] {
  const { leads = 0, mostlyIgnored = 0 } =
    day?.keys.find(({ keyId }) => keyId === partner.keyId) ?? {};
  if (2 * mostlyIgnored <= leads) return [];
  const values = { half: formats.number(mostlyIgnored), all: formats.number(leads) };
  const reason = text('attention.mostlyIgnoredReason', values);
  return [{ kind: 'attention.mostlyIgnored', reason, link: linkOf(partner) }];
}

function expiryLines(partner: Partner, { text, formats }: Reader, now: Date): AttentionLine[] {
  const { expiresAt, state, lastCallAt } = partner;
  const leftMs = expiresAt === null ? Infinity : expiresAt.getTime() - now.getTime();
  if (state === 'ended' || leftMs > expiryNoticeMs) return [];
  const times = { left: formats.duration(leftMs), last: formats.time(lastCallAt) };
  return [
    { kind: 'attention.key', reason: text('attention.keyReason', times), link: linkOf(partner) },
  ];
}

function linkOf({ keyId, name, organizationName }: Partner): AttentionLine['link'] {
  return { name: `${name} (${organizationName})`, to: `/partners/${keyId}` };
}

export function Attention({
  lines,
  firstStep,
  isComplete,
}: {
  readonly lines: readonly AttentionLine[];
  /** The first step in a system without calls. */
  readonly firstStep: TextKey | null;
  readonly isComplete: boolean;
}) {
  const { text } = useReader();
  return (
    <Card title={text('attention.title')}>
      {!isComplete && <p class="bad">{text('attention.unknown')}</p>}
      {lines.length === 0 && isComplete && firstStep === null && (
        <p class="good">{text('attention.none')}</p>
      )}
      {firstStep !== null && <p>{text(firstStep)}</p>}
      <ul class="attention">
        {[...Map.groupBy(lines, ({ kind }) => kind)].flatMap(([kind, ofKind]) => [
          ...ofKind.slice(0, maxLinesPerKind).map(({ reason, link }) => (
            <li>
              <strong>{text(kind)}</strong>{' '}
              <Link to={link.to}>
                <bdi>{link.name}</bdi>
              </Link>
              <br />
              {reason}
            </li>
          )),
          ofKind.length > maxLinesPerKind && (
            <li>{text('overview.more', { count: ofKind.length - maxLinesPerKind })}</li>
          ),
        ])}
      </ul>
    </Card>
  );
}
