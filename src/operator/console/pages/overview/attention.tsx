import { minuteMs, dayMs } from '../../../../core/values/durations.js';
import type { FailingEndpoint } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import type { Backlog } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import type { Partner } from '../../../usage/partners.service.js';
import type { DailyStats } from '../../../usage/usage-stats.service.js';
import type { TextKey } from '../../texts/text.js';
import type { PageRequest } from '../page.js';
import { maskedUrl } from '../shared/masking.js';
import { Card, Link } from '../shared/parts.js';
import type { SystemState } from './system-state.service.js';

/** Something that an operator should look at. */
export interface AttentionLine {
  readonly kind: TextKey;
  readonly reason: string;
  /** What it is about, and the page that says more. */
  readonly link: { readonly name: string; readonly to: string };
}

type Reader = Pick<PageRequest, 'text' | 'formats'>;

/** So long something is due when nothing is wrong. */
const latenessMs = minuteMs;
/** Enough to ask a partner for the change to another key. */
const endingMs = 14 * dayMs;
/** Further lines of a kind are only counted. */
const mostOfKind = 10;

export function databaseLines({ hasPrimary }: SystemState, { text }: Reader): AttentionLine[] {
  if (hasPrimary) return [];
  const link = { name: text('overview.database'), to: '/#database' };
  return [{ kind: 'attention.database', reason: text('attention.databaseReason'), link }];
}

export function backlogLines(
  { events, deliveries }: SystemState,
  { text, formats }: Reader,
): AttentionLine[] {
  const line = (kind: 'attention.events' | 'attention.deliveries', backlog: Backlog | null) => {
    if (backlog === null || backlog.lagMs <= latenessMs) return [];
    const count = formats.number(backlog.count);
    const reason = text('attention.behind', { count, time: formats.duration(backlog.lagMs) });
    return [{ kind, reason, link: { name: text('webhooks.title'), to: '/webhooks' } }];
  };
  return [...line('attention.events', events), ...line('attention.deliveries', deliveries)];
}

export function endpointLines(
  endpoints: readonly FailingEndpoint[],
  { text, formats }: Reader,
): AttentionLine[] {
  return endpoints.map(({ endpoint, lastAttempt, failedAttempts }) => {
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
    const why = text(
      disabledReason === 'gone' ? 'endpoint.reason.gone' : 'endpoint.reason.failing',
    );
    return {
      kind: 'attention.endpointOff',
      reason: `${text('attention.off', { why })} ${since}`,
      link,
    };
  });
}

export function partnerLines(
  partners: readonly Partner[],
  { text, formats }: Reader,
): AttentionLine[] {
  return partners.flatMap((partner): AttentionLine[] => {
    const link = linkOf(partner);
    if (partner.state === 'silent') {
      const time = formats.time(partner.lastCallAt);
      const missed = formats.number(partner.missedCalls);
      return [
        {
          kind: 'attention.silent',
          reason: text('attention.silentReason', { time, missed }),
          link,
        },
      ];
    }
    if (partner.state !== 'failing') return [];
    const [errors, calls] = [partner.errors, partner.calls].map((count) => formats.number(count));
    const reason = text('attention.refusedReason', { errors: errors ?? '', calls: calls ?? '' });
    return [{ kind: 'attention.refused', reason, link }];
  });
}

/** Partners of whose leads of a day most were half understood (rule OPS-37). */
export function halfUnderstoodLines(
  partners: readonly Partner[] | null,
  day: DailyStats | null,
  { text, formats }: Reader,
): AttentionLine[] {
  return (partners ?? []).flatMap((partner): AttentionLine[] => {
    const { leads = 0, halfUnderstood = 0 } =
      day?.keys.find(({ keyId }) => keyId === partner.keyId) ?? {};
    if (2 * halfUnderstood <= leads) return [];
    const [half, all] = [formats.number(halfUnderstood), formats.number(leads)];
    const reason = text('attention.halfUnderstoodReason', { half, all });
    return [{ kind: 'attention.halfUnderstood', reason, link: linkOf(partner) }];
  });
}

/** Keys that partners still use and that end soon. */
export function keyLines(
  partners: readonly Partner[],
  { text, formats }: Reader,
  now: Date,
): AttentionLine[] {
  return partners.flatMap((partner): AttentionLine[] => {
    const { expiresAt, state, lastCallAt } = partner;
    const left = expiresAt === null ? Infinity : expiresAt.getTime() - now.getTime();
    if (expiresAt === null || state === 'ended' || left > endingMs) return [];
    const times = { left: formats.duration(left), last: formats.time(lastCallAt) };
    return [
      { kind: 'attention.key', reason: text('attention.keyReason', times), link: linkOf(partner) },
    ];
  });
}

function linkOf({ keyId, name, organizationName }: Partner): AttentionLine['link'] {
  return { name: `${name} (${organizationName})`, to: `/partners/${keyId}` };
}

/** The first part of the overview: lines with a reason and a link, or that there is none. */
export function Attention({
  request: { text },
  lines,
  firstStep,
  isComplete,
}: {
  readonly request: PageRequest;
  readonly lines: readonly AttentionLine[];
  /** What to do first in a system that nobody uses yet. */
  readonly firstStep: TextKey | null;
  /** Whether everything could be looked at. */
  readonly isComplete: boolean;
}) {
  const byKind = [...Map.groupBy(lines, ({ kind }) => kind)];
  return (
    <Card title={text('attention.title')}>
      {!isComplete && <p class="bad">{text('attention.unknown')}</p>}
      {lines.length === 0 && isComplete && firstStep === null && (
        <p class="good">{text('attention.none')}</p>
      )}
      {firstStep !== null && <p>{text(firstStep)}</p>}
      <ul class="attention">
        {byKind.flatMap(([kind, ofKind]) => [
          ...ofKind.slice(0, mostOfKind).map(({ reason, link }) => (
            <li>
              <strong>{text(kind)}</strong>{' '}
              <Link to={link.to}>
                <bdi>{link.name}</bdi>
              </Link>
              <br />
              {reason}
            </li>
          )),
          ofKind.length > mostOfKind && (
            <li>{text('overview.more', { count: ofKind.length - mostOfKind })}</li>
          ),
        ])}
      </ul>
    </Card>
  );
}
