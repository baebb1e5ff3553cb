import type { EndpointView } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { type EndpointState, endpointState } from '../../webhooks/endpoints/endpoint-state.js';
import { field, type Severity, type ViewField } from './view-field.js';

type Endpoint = Pick<
  EndpointView,
  | 'isEnabled'
  | 'fault'
  | 'pausedUntil'
  | 'failingSince'
  | 'lastFailure'
  | 'lastSuccessAt'
  | 'disabledReason'
  | 'updatedAt'
>;

interface StateText {
  readonly name: string;
  readonly severity: Severity;
  readonly why: string | null;
  readonly since: Date | null;
  /** Says what an operator does about it. */
  readonly remedy: string | null;
}

const severities: Readonly<Record<EndpointState, Severity>> = {
  works: 'good',
  unused: 'note',
  paused: 'warn',
  disabled: 'warn',
  failing: 'bad',
  faulty: 'bad',
};

const disabledReasons: ReadonlyMap<string | null, readonly [why: string, remedy: string | null]> =
  new Map([
    ['operator', ['by the operator', null]],
    [
      'gone',
      [
        'the receiver responded 410, which means that it wants no events',
        'Ask the receiver whether that was meant. If not, enable the endpoint.',
      ],
    ],
    [
      'failing',
      [
        'it failed for five days without a success',
        'When the receiver works again, enable the endpoint and replay its failed deliveries.',
      ],
    ],
  ]);

/** Returns what differs from the defaults. */
const descriptions: Readonly<
  Record<EndpointState, (endpoint: Endpoint) => Partial<Omit<StateText, 'severity'>>>
> = {
  works: () => ({}),
  unused: () => ({}),
  disabled: ({ disabledReason, updatedAt: since }) => {
    const [why, remedy] = disabledReasons.get(disabledReason) ?? [disabledReason, null];
    return { ...(remedy !== null && { name: 'given up' }), why, remedy, since };
  },
  faulty: ({ fault, failingSince: since }) => ({ why: fault?.replaceAll('`', '') ?? null, since }),
  failing: ({ lastFailure, failingSince: since }) => ({
    why: lastFailure && String(lastFailure.statusCode ?? lastFailure.error),
    since,
    remedy:
      'Send this response to the owner of the receiver. When the receiver works again, send everything.',
  }),
  paused: ({ pausedUntil, lastFailure }) => ({
    why: `the receiver asked for a pause until ${pausedUntil?.toISOString() ?? ''}`,
    since: lastFailure?.at ?? null,
  }),
};

export function describeEndpoint(endpoint: Endpoint, now = new Date()): StateText {
  const state = endpointState(endpoint, now);
  const defaults = { name: state, why: null, since: null, remedy: null };
  const text = { ...defaults, ...descriptions[state](endpoint) };
  return { ...text, severity: text.name === 'given up' ? 'bad' : severities[state] };
}

export const endpointStateField: ViewField<Endpoint> = field(
  'status',
  'State',
  (endpoint) => describeEndpoint(endpoint).name,
  {
    note: (endpoint) => describeEndpoint(endpoint).why,
    severity: (endpoint) => describeEndpoint(endpoint).severity,
  },
);
