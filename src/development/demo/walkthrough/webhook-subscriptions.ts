import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { WebhookDeliveriesService } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { Subscribe } from './demo-run.js';

/** Adds endpoints of an organization and removes them after the demo. */
export function demoSubscriptions(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
): Subscribe {
  const endpoints = application.get(WebhookEndpointsService);
  const deliveries = application.get(WebhookDeliveriesService);
  return async (url) => {
    if (endpoints.forbiddenReason(url) !== null) return null;
    const { endpoint, secret } = await endpoints.add(organizationId, { url, eventTypes: ['*'] });
    return {
      secret,
      rejectionReason: async () =>
        (await deliveries.list(organizationId, { endpointId: endpoint._id }, 1))[0]?.lastError ??
        null,
      end: () => endpoints.remove(endpoint._id),
    };
  };
}
