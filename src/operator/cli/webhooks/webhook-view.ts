import type { INestApplicationContext } from '@nestjs/common';
import type { WebhookDeliveriesService } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { WebhookEndpointDocument } from '../../../webhooks/endpoints/webhook-endpoint.schema.js';
import type {
  EndpointWithSecret,
  ShownEndpoint,
  WebhookEndpointsService,
} from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { plainColumns } from '../../views/field.js';
import { newEndpointFields } from '../../views/webhook.js';

export const newEndpointColumns = {
  ...plainColumns<ReturnType<typeof newEndpointView>>(newEndpointFields),
  Secret: ({ secret }: { readonly secret: string }) => `${secret}  (shown once)`,
};

/** An endpoint as JSON; a removed one is not printed. */
export function endpointView({ isRemoved: _isRemoved, ...fields }: ShownEndpoint) {
  return fields;
}

/** An endpoint with its new secret, the one time that it is printed. */
export function newEndpointView({ endpoint, secret }: EndpointWithSecret) {
  const { _id, url, eventTypes } = endpoint;
  return { _id: _id.toHexString(), url, eventTypes: eventTypes ?? [], secret };
}

/**
 * The stored endpoint of an id.
 *
 * @throws Error when there is none
 */
export async function endpointOf(
  application: INestApplicationContext,
  id: string,
): Promise<{ readonly document: WebhookEndpointDocument; readonly shown: ShownEndpoint }> {
  const { Types } = await import('mongoose');
  const found = await (await endpointsOf(application)).show(new Types.ObjectId(id));
  if (found === null || found.shown.isRemoved) throw noEndpoint(id);
  return found;
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

export async function deliveriesOf(
  application: INestApplicationContext,
): Promise<WebhookDeliveriesService> {
  const { WebhookDeliveriesService } =
    await import('../../../webhooks/deliveries/webhook-deliveries.service.js');
  return application.get(WebhookDeliveriesService);
}
