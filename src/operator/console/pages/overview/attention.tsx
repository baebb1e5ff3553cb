import { minuteMs, dayMs } from '../../../../core/values/time.js';
import type { Backlog } from '../../../../core/database/models/backlogs.js';
import type { FailingEndpoint } from '../../../../webhooks/statistics/webhook-stats.service.js';
import type { Partner } from '../../../usage/partners.service.js';
import type { DailyStats } from '../../../usage/usage-stats.service.js';
import type { TextKey } from '../../texts/text.js';
import { type PageRequest, useRenderContext } from '../page.js';
import { maskedUrl } from '../shared/masking.js';
import { Card, Link } from '../shared/components.js';
import type { SystemState } from './system-state.js';

interface AttentionLine {
  readonly kind: TextKey;
  readonly reason: string;
  readonly name: string;
  /** Path below `/console`. */
  readonly to: string;
}

/** Work that has waited for a shorter time is not late. */
const maxLagMs = minuteMs;
/** Leaves enough time to move a partner to another key. */
const expiryNoticeMs = 14 * dayMs;
/** Further lines of a kind are only counted. */
const maxLinesPerKind = 10;

/** Shown in this order; rule OPS-37 defines `mostlyIgnored`. */
const partnerKinds = ['silent', 'refused', 'mostlyIgnored', 'key'] as const;

export function attentionLines(state: SystemState, request: PageRequest): AttentionLine[] {
  const { text } = request;
  const { hasPrimary, events, deliveries, endpoints, partners, day } = state;
  const database = {
    kind: 'attention.database',
    reason: text('attention.databaseReason'),
    name: text('overview.database'),
    to: '/#database',
  } as const;
  return [
    ...(hasPrimary ? [] : [database]),
    ...backlogLines('attention.events', events, request),
    ...backlogLines('attention.deliveries', deliveries, request),
    ...(endpoints ?? []).map((endpoint) => endpointLine(endpoint, request)),
    ...partnerKinds.flatMap((kind) =>
      (partners ?? []).flatMap((partner) => partnerLines(kind, partner, day, request)),
    ),
  ];
}

function backlogLines(
  kind: 'attention.events' | 'attention.deliveries',
  backlog: Backlog | null,
  { text, formats }: PageRequest,
): AttentionLine[] {
  if (backlog === null || backlog.lagMs <= maxLagMs) return [];
  const { count, lagMs } = backlog;
  const reason = text('attention.behind', { count, time: formats.duration(lagMs) });
  return [{ kind, reason, name: text('webhooks.title'), to: '/webhooks' }];
}

function endpointLine(endpoint: FailingEndpoint, { text }: PageRequest): AttentionLine {
  const { _id, url, isEnabled, disabledReason, fault, failingSince } = endpoint;
  const { lastFailure, failedAttempts } = endpoint;
  const link = { name: maskedUrl(url), to: `/webhooks/${_id}` };
  if (isEnabled && failingSince === null)
    return { kind: 'attention.endpointFault', reason: fault ?? '', ...link };
  const since = text('attention.failing', {
    since: failingSince,
    response: lastFailure?.statusCode ?? lastFailure?.error,
    attempts: failedAttempts,
    retries: Math.max(0, (lastFailure?.attempt ?? 0) - 1),
  });
  if (isEnabled) return { kind: 'attention.endpoint', reason: since, ...link };
  const why = text(disabledReason === 'gone' ? 'endpoint.reason.gone' : 'endpoint.reason.failing');
  const reason = `${text('attention.off', { why })} ${since}`;
  return { kind: 'attention.endpointOff', reason, ...link };
}

function partnerLines(
  kind: (typeof partnerKinds)[number],
  partner: Partner,
  day: DailyStats | null,
  { text, formats, now }: PageRequest,
): AttentionLine[] {
  const { keyId, name, organizationName, state, lastCallAt: last, expiresAt } = partner;
  const { missedCalls: missed, errors, calls } = partner;
  const { leads = 0, mostlyIgnored = 0 } = day?.keys.find((key) => key.keyId === keyId) ?? {};
  const leftMs = expiresAt === null ? Infinity : expiresAt.getTime() - now.getTime();
  const [isProblem, values] = {
    silent: [state === 'silent', { time: last, missed }] as const,
    refused: [state === 'failing', { errors, calls }] as const,
    mostlyIgnored: [2 * mostlyIgnored > leads, { mostlyIgnored, leads }] as const,
    key: [
      state !== 'ended' && leftMs <= expiryNoticeMs,
      { left: formats.duration(leftMs), last },
    ] as const,
  }[kind];
  if (!isProblem) return [];
  const reason = text(`attention.${kind}Reason`, values);
  const to = `/partners/${keyId}`;
  return [{ kind: `attention.${kind}`, reason, name: `${name} (${organizationName})`, to }];
}

export function Attention({
  lines,
  firstStep,
  isComplete,
}: {
  readonly lines: readonly AttentionLine[];
  /** Next step of the setup in a system without calls. */
  readonly firstStep: TextKey | null;
  readonly isComplete: boolean;
}) {
  const { text } = useRenderContext();
  return (
    <Card title={text('attention.title')}>
      {!isComplete && <p class="bad">{text('attention.unknown')}</p>}
      {lines.length === 0 && isComplete && firstStep === null && (
        <p class="good">{text('attention.none')}</p>
      )}
      {firstStep !== null && <p>{text(firstStep)}</p>}
      <ul class="attention">
        {[...Map.groupBy(lines, ({ kind }) => kind)].flatMap(([kind, kindLines]) => [
          ...kindLines.slice(0, maxLinesPerKind).map(({ reason, name, to }) => (
            <li>
              <strong>{text(kind)}</strong>{' '}
              <Link to={to}>
                <bdi>{name}</bdi>
              </Link>
              <br />
              {reason}
            </li>
          )),
          kindLines.length > maxLinesPerKind && (
            <li>{text('shared.more', { count: maxLinesPerKind })}</li>
          ),
        ])}
      </ul>
    </Card>
  );
}
