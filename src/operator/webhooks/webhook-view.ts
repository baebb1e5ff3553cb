import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { WebhookEndpointDocument } from '../../webhooks/endpoints/webhook-endpoint.schema.js';
import {
  type EndpointWithSecret,
  WebhookEndpointsService,
} from '../../webhooks/endpoints/webhook-endpoints.service.js';
import type { Columns } from '../command-line/output.js';

/** An endpoint as the operator sees it: no secret, sealed or not. */
export interface EndpointView {
  readonly _id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly isEnabled: boolean;
  readonly disabledReason: string | null;
  readonly failingSince: Date | null;
  readonly pausedUntil: Date | null;
  /** When each secret was made, and until when it signs; null for the current one. */
  readonly secrets: readonly { readonly createdAt: Date; readonly expiresAt: Date | null }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An endpoint, and how much waits for it. */
export interface EndpointDetailView extends EndpointView {
  readonly pending: number;
}

/** A new endpoint, the one time that its secret is shown. */
export interface NewEndpointView {
  readonly _id: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly secret: string;
}

/** An endpoint after a rotation. */
export interface RotatedSecretView extends NewEndpointView {
  /** Until when the secret before this one signs too. */
  readonly oldSecretExpiresAt: Date | null;
}

/** The columns of `webhook list`. */
export const endpointListColumns: Columns<EndpointView> = {
  Id: ({ _id }) => _id,
  URL: ({ url }) => url,
  Events: ({ eventTypes }) => eventTypes,
  State: stateOf,
  'Failing since': ({ failingSince }) => failingSince,
  Created: ({ createdAt }) => createdAt,
};

/** The lines of a changed endpoint. */
export const endpointColumns: Columns<EndpointView> = {
  Id: ({ _id }) => _id,
  Organization: ({ organizationId }) => organizationId,
  URL: ({ url }) => url,
  Events: ({ eventTypes }) => eventTypes,
  State: stateOf,
  'Failing since': ({ failingSince }) => failingSince,
  'Paused until': ({ pausedUntil }) => pausedUntil,
  'Secrets sign until': ({ secrets }) =>
    secrets.map(({ expiresAt }) => expiresAt?.toISOString() ?? 'replaced'),
  Created: ({ createdAt }) => createdAt,
  Updated: ({ updatedAt }) => updatedAt,
};

/** The lines of `webhook show`. */
export const endpointDetailColumns: Columns<EndpointDetailView> = {
  ...endpointColumns,
  'Deliveries waiting': ({ pending }) => pending,
};

/** The lines of `webhook add`. */
export const newEndpointColumns: Columns<NewEndpointView> = {
  Id: ({ _id }) => _id,
  URL: ({ url }) => url,
  Events: ({ eventTypes }) => eventTypes,
  Secret: ({ secret }) => `${secret}  (shown once)`,
};

/** The lines of `webhook rotate-secret`. */
export const rotatedSecretColumns: Columns<RotatedSecretView> = {
  ...newEndpointColumns,
  'Old secret signs until': ({ oldSecretExpiresAt }) => oldSecretExpiresAt,
};

/** Shows a stored endpoint. */
export function endpointView(document: WebhookEndpointDocument): EndpointView {
  return {
    _id: document._id.toHexString(),
    organizationId: document.organizationId.toHexString(),
    url: document.url,
    eventTypes: document.eventTypes ?? [],
    isEnabled: document.isEnabled === true,
    disabledReason: document.disabledReason ?? null,
    failingSince: document.failingSince ?? null,
    pausedUntil: document.pausedUntil ?? null,
    secrets: (document.secrets ?? []).map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}

/** Shows an endpoint whose secret was just made. */
export function newEndpointView({ endpoint, secret }: EndpointWithSecret): NewEndpointView {
  const { _id, url, eventTypes = [] } = endpoint;
  return { _id: _id.toHexString(), url, eventTypes, secret };
}

/** Shows an endpoint whose secret was just replaced. */
export function rotatedSecretView(rotated: EndpointWithSecret): RotatedSecretView {
  const oldSecretExpiresAt = rotated.endpoint.secrets?.[1]?.expiresAt ?? null;
  return { ...newEndpointView(rotated), oldSecretExpiresAt };
}

/**
 * Gives the stored endpoint of an id.
 *
 * @throws Error when there is none
 */
export async function endpointOf(
  application: INestApplicationContext,
  id: Types.ObjectId,
): Promise<WebhookEndpointDocument> {
  const document = await application.get(WebhookEndpointsService).find(id);
  if (document === null) throw noEndpoint(id);
  return document;
}

/** What is said when an endpoint is not there. */
export function noEndpoint(id: Types.ObjectId): Error {
  return new Error(`There is no webhook endpoint with id ${id.toHexString()}.`);
}

function stateOf({ isEnabled, disabledReason }: EndpointView): string {
  if (isEnabled) return 'enabled';
  return disabledReason === null ? 'disabled' : `disabled (${disabledReason})`;
}
