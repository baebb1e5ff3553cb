import type { ShownEndpoint } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { TextKey } from '../../texts/text.js';
import type { PageRequest } from '../page.js';

const reasons: Readonly<Record<string, TextKey>> = {
  operator: 'endpoint.reason.operator',
  gone: 'endpoint.reason.gone',
  failing: 'endpoint.reason.failing',
  removed: 'endpoint.reason.removed',
};

/** Whether an endpoint gets events, and why not. */
export function EndpointState({
  request: { text },
  endpoint: { isEnabled, disabledReason, fault },
}: {
  readonly request: PageRequest;
  readonly endpoint: ShownEndpoint;
}) {
  if (isEnabled && fault === null) return <span class="good">{text('endpoint.enabled')}</span>;
  if (isEnabled) return <span class="bad">{text('endpoint.faulty', { fault: fault ?? '' })}</span>;
  const name = reasons[disabledReason ?? ''];
  const why = name === undefined ? disabledReason : text(name);
  return (
    <span class="bad">
      {why === null ? text('endpoint.disabled') : text('endpoint.disabledWhy', { reason: why })}
    </span>
  );
}
