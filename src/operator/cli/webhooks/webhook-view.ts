import type { INestApplicationContext } from '@nestjs/common';
import type { WebhookEndpointDocument } from '../../../webhooks/endpoints/webhook-endpoint.schema.js';
import type {
  EndpointWithSecret,
  WebhookEndpointsService,
} from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { Columns } from '../command-line/output.js';

type EndpointView = ReturnType<typeof endpointView>;
type NewEndpointView = ReturnType<typeof newEndpointView>;

export const endpointListColumns: Columns<EndpointView> = {
  Id: ({ _id }) => _id,
  URL: ({ url }) => url,
  Events: ({ eventTypes }) => eventTypes,
  State: stateOf,
  'Failing since': ({ failingSince }) => failingSince,
  Created: ({ createdAt }) => createdAt,
};

export const endpointColumns: Columns<EndpointView> = {
  Id: ({ _id }) => _id,
  Organization: ({ organizationId }) => organizationId,
  URL: ({ url }) => url,
  Events: ({ eventTypes }) => eventTypes,
  State: stateOf,
  'Failing since': ({ failingSince }) => failingSince,
  'Paused until': ({ pausedUntil }) => pausedUntil,
  'Secrets valid until': ({ secrets }) =>
    secrets.map(({ expiresAt }) => expiresAt?.toISOString() ?? 'replaced'),
  Created: ({ createdAt }) => createdAt,
  Updated: ({ updatedAt }) => updatedAt,
};

/** The lines of an endpoint and of how much waits for it. */
export const endpointDetailColumns: Columns<EndpointView & { readonly pending: number }> = {
  ...endpointColumns,
  'Deliveries waiting': ({ pending }) => pending,
};

export const newEndpointColumns: Columns<NewEndpointView> = {
  Id: ({ _id }) => _id,
  URL: ({ url }) => url,
  Events: ({ eventTypes }) => eventTypes,
  Secret: ({ secret }) => `${secret}  (shown once)`,
};

export const rotatedSecretColumns: Columns<ReturnType<typeof rotatedSecretView>> = {
  ...newEndpointColumns,
  'Old secret signs until': ({ oldSecretExpiresAt }) => oldSecretExpiresAt,
};

/** An endpoint for printing: no secret, sealed or not. */
export function endpointView(document: WebhookEndpointDocument) {
  return {
    _id: document._id.toHexString(),
    organizationId: document.organizationId.toHexString(),
    url: document.url,
    eventTypes: document.eventTypes ?? [],
    isEnabled: document.isEnabled === true,
    disabledReason: document.disabledReason ?? null,
    fault: document.fault ?? null,
    failingSince: document.failingSince ?? null,
    pausedUntil: document.pausedUntil ?? null,
    secrets: (document.secrets ?? []).map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}

/** An endpoint with its new secret, the one time that it is printed. */
export function newEndpointView({ endpoint, secret }: EndpointWithSecret) {
  const { _id, url, eventTypes } = endpoint;
  return { _id: _id.toHexString(), url, eventTypes: eventTypes ?? [], secret };
}

/** An endpoint with its new secret, and until when the secret before it signs too. */
export function rotatedSecretView(rotated: EndpointWithSecret) {
  const oldSecretExpiresAt = rotated.endpoint.secrets?.[1]?.expiresAt ?? null;
  return { ...newEndpointView(rotated), oldSecretExpiresAt };
}

/**
 * The stored endpoint of an id.
 *
 * @throws Error when there is none
 */
export async function endpointOf(
  application: INestApplicationContext,
  id: string,
): Promise<WebhookEndpointDocument> {
  const { Types } = await import('mongoose');
  const endpoints = await endpointsOf(application);
  const document = await endpoints.find(new Types.ObjectId(id));
  if (document === null) throw noEndpoint(id);
  return document;
}

/** The error for an id without an endpoint. */
export function noEndpoint(id: string): Error {
  return new Error(`There is no webhook endpoint with id ${id}.`);
}

export async function endpointsOf(
  application: INestApplicationContext,
): Promise<WebhookEndpointsService> {
  const { WebhookEndpointsService } =
    await import('../../../webhooks/endpoints/webhook-endpoints.service.js');
  return application.get(WebhookEndpointsService);
}

function stateOf({ isEnabled, disabledReason, fault }: EndpointView): string {
  if (isEnabled) return fault === null ? 'enabled' : `faulty (${fault})`;
  return disabledReason === null ? 'disabled' : `disabled (${disabledReason})`;
}
