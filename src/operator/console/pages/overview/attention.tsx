import type { ComponentChildren } from 'preact';
import { minuteMs } from '../../../../core/values/time.js';
import type { Backlog } from '../../../../core/database/models/backlogs.js';
import type { EndpointView } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { PartnerTraffic } from '../../../usage/partners.service.js';
import type { Severity } from '../../../views/view-field.js';
import { describeEndpoint } from '../../../views/endpoint-state.js';
import { Badge, Card, Empty, Link, Time } from '../../components/components.js';
import { formatDuration, formatNumber } from '../../components/formats.js';
import { maskedUrl } from '../../components/masking.js';
import type { PageRequest } from '../../page.js';
import { maxProblems, type SystemState } from './system-state.js';

interface AttentionLine {
  readonly kind: string;
  readonly severity: Severity;
  readonly name: string;
  /** Path below `/console`. */
  readonly to: string;
  readonly reason: ComponentChildren;
  readonly remedy: string;
}

/** Work that has waited for a shorter time is not late. */
const maxLagMs = minuteMs;

export function attentionLines(state: SystemState, { now }: PageRequest): AttentionLine[] {
  const { hasPrimary, events, deliveries, endpoints, partners } = state;
  const database: AttentionLine = {
    kind: 'Database',
    severity: 'bad',
    name: 'No primary',
    to: '',
    reason: 'The database accepts no writes.',
    remedy: 'Look at the members of its replica set.',
  };
  return [
    ...(hasPrimary ? [] : [database]),
    ...backlogLines('Events', events, 'Look at the log of the worker.'),
    ...backlogLines('Webhooks', deliveries, 'See which endpoints are slow or failing.'),
    ...(endpoints ?? []).map((endpoint) => endpointLine(endpoint, now)),
    ...(partners?.silent ?? []).map(silentLine),
    ...(partners?.failing ?? []).map(failingLine),
    ...(partners?.mostlyIgnored ?? []).map(ignoredLine),
    ...(partners?.expiring ?? []).map((partner) => expiringLine(partner, now)),
  ];
}

function backlogLines(kind: string, backlog: Backlog | null, remedy: string): AttentionLine[] {
  if (backlog === null || backlog.lagMs <= maxLagMs) return [];
  const { count, lagMs } = backlog;
  const reason = `The oldest of ${formatNumber(count)} has been waiting for ${formatDuration(lagMs)}.`;
  return [{ kind, severity: 'warn', name: 'Late', to: '/webhooks?show=failing', reason, remedy }];
}

function endpointLine(endpoint: EndpointView, now: Date): AttentionLine {
  const { severity, name, why, since, remedy } = describeEndpoint(endpoint, now);
  const reason = (
    <>
      {name}
      {since && (
        <>
          {' '}
          since <Time time={since} />
        </>
      )}
      {why && `: ${why}`}
    </>
  );
  return {
    kind: 'Endpoint',
    severity,
    name: maskedUrl(endpoint.url),
    to: `/webhooks/${endpoint._id}`,
    reason,
    remedy: remedy ?? '',
  };
}

function partnerLink({ keyId, name, organizationName }: PartnerTraffic) {
  return { name: `${name || keyId} (${organizationName})`, to: `/partners/${keyId}` };
}

function silentLine(partner: PartnerTraffic): AttentionLine {
  return {
    ...partnerLink(partner),
    kind: 'Silent',
    severity: 'bad',
    reason: (
      <>
        last call <Time time={partner.lastCallAt} />, used on {partner.activeDays} of the last seven
        days
      </>
    ),
    remedy: 'Ask the partner whether its program still runs.',
  };
}

function failingLine(partner: PartnerTraffic): AttentionLine {
  const { refused, failed, calls } = partner;
  return {
    ...partnerLink(partner),
    kind: 'Refused',
    severity: 'bad',
    reason: `${formatNumber(refused + failed)} of ${formatNumber(calls)} calls in 24 hours were refused or failed`,
    remedy: 'See the reasons, and send the partner their remedies.',
  };
}

/** Rule OPS-37. */
function ignoredLine(partner: PartnerTraffic): AttentionLine {
  return {
    ...partnerLink(partner),
    kind: 'Ignored',
    severity: 'warn',
    reason: 'most fields of more than half of its leads are ignored',
    remedy:
      'Tell the partner the correct field names. The page of the partner lists the ignored names.',
  };
}

function expiringLine(partner: PartnerTraffic, now: Date): AttentionLine {
  const left = (partner.expiresAt?.getTime() ?? 0) - now.getTime();
  return {
    ...partnerLink(partner),
    kind: 'Key expires',
    severity: 'warn',
    reason: `in ${formatDuration(left)}, and it is still used`,
    remedy: `Replace it: npm run cli -- key rotate ${partner.keyId}`,
  };
}

export function Attention({
  lines,
  state: { isKnown, calls, endpoints, partners },
}: {
  readonly lines: readonly AttentionLine[];
  readonly state: SystemState;
}) {
  const groups = [endpoints, ...Object.values(partners ?? {})];
  const hasMore = groups.some((group) => (group ?? []).length >= maxProblems);
  const isUnused = isKnown && calls?.every((point) => point.calls === 0) === true;
  return (
    <Card title="Needs attention" isFlush>
      {!isKnown && (
        <p class="card-body text-danger mb-0">
          The database did not respond in time, so this list may be incomplete.
        </p>
      )}
      {lines.length === 0 && isKnown && (
        <Empty title={isUnused ? 'No calls yet' : 'Nothing needs attention'}>
          {isUnused
            ? 'Issue a key with npm run cli -- key issue, and give it to a partner with the address of the API reference.'
            : 'Silent partners, failing endpoints, late work and keys about to expire are listed here.'}
        </Empty>
      )}
      <ul class="list-group list-group-flush">
        {lines.map(({ kind, severity, name, to, reason, remedy }) => (
          <li key={to + kind} class="list-group-item">
            <span class="line">
              <Badge severity={severity}>{kind}</Badge>
              <Link to={to}>
                <bdi>{name}</bdi>
              </Link>
              <span>{reason}</span>
              <span class="text-secondary">{remedy}</span>
            </span>
          </li>
        ))}
      </ul>
      {hasMore && (
        <p class="card-footer mb-0">
          There are more: see <Link to="/partners">Partners</Link> and{' '}
          <Link to="/webhooks">Webhooks</Link>.
        </p>
      )}
    </Card>
  );
}
