import { Types } from 'mongoose';
import {
  type ListedDelivery,
  type ShownDelivery,
  WebhookDeliveriesService,
} from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { WebhookEndpointDocument } from '../../../webhooks/endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsService } from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { plainColumns } from '../../views/field.js';
import { attemptFields, deliveryFields, deliveryListFields } from '../../views/webhook.js';
import type { CommandContext } from '../command-line/context.js';
import type { ValuesOf } from '../command-line/declaration.js';
import { withProgress } from '../command-line/progress.js';
import { item, list, report, type Result } from '../command-line/result.js';
import type { webhookCommands } from './webhook-commands.js';

const replayTexts = {
  counted: 'deliveries to be sent again',
  remedy: 'Run the command again for the rest: nothing is sent twice.',
};

export async function listDeliveries(
  context: CommandContext,
  values: ValuesOf<typeof webhookCommands.deliveries>,
): Promise<Result> {
  const { id, org = '', object, limit, ...others } = values;
  const deliveries = context.get(WebhookDeliveriesService);
  const _id = id === undefined ? null : new Types.ObjectId(id);
  const endpoint = _id && (await context.get(WebhookEndpointsService).find(_id));
  if (_id !== null && endpoint === null) {
    const delivery = await deliveries.find(_id);
    if (delivery !== null) return showDelivery(context, delivery);
    throw new Error(`There is no webhook endpoint or delivery with id ${id}.`);
  }
  const organizationId = endpoint?.organizationId ?? (await context.organization(org))._id;
  const objectIds = object === undefined ? undefined : [object];
  const filter = { endpointId: endpoint?._id, objectIds, ...others };
  const { items } = await deliveries.listPage(organizationId, filter, { limit });
  return list(items, deliveryListFields, items.map(deliveryView));
}

export async function replayDeliveries(
  context: CommandContext,
  { id, failed, since, until }: ValuesOf<typeof webhookCommands.replay>,
): Promise<Result> {
  const deliveries = context.get(WebhookDeliveriesService);
  const isOfEndpoint = failed || since !== undefined || until !== undefined;
  const _id = new Types.ObjectId(id);
  const delivery = isOfEndpoint ? undefined : await deliveries.find(_id);
  if (delivery === null) {
    const remedy = 'deliveries of an endpoint are chosen by --failed, --since or --until';
    throw new Error(`There is no webhook delivery with id ${id}; ${remedy}.`);
  }
  const endpoint = await enabledEndpoint(context, delivery?.endpointId ?? _id);
  const words = Object.entries({ since, until }).flatMap(([word, limit]) =>
    limit === undefined ? [] : [word, limit.toISOString()],
  );
  const replaying = {
    action: 'replay',
    subject: isOfEndpoint ? 'endpoint' : 'delivery',
    to: { _id, organizationId: endpoint.organizationId },
    details: [...(failed ? ['failed'] : []), ...words].join(' '),
  } as const;
  const filter = isOfEndpoint
    ? { status: failed ? ('failed' as const) : undefined, since, until }
    : { _id };
  const replayed = await context.logged(replaying, () =>
    withProgress(replayTexts, (progress) => deliveries.replay(endpoint, filter, progress)),
  );
  return item({ replayed }, { 'To be sent again': (result) => result.replayed });
}

async function enabledEndpoint(
  context: CommandContext,
  _id: Types.ObjectId,
): Promise<WebhookEndpointDocument> {
  const endpoint = await context.get(WebhookEndpointsService).find(_id);
  const id = _id.toHexString();
  if (endpoint === null || endpoint.removedAt)
    throw new Error(`There is no webhook endpoint with id ${id}.`);
  if (endpoint.isEnabled) return endpoint;
  throw new Error(`The endpoint ${id} is disabled: enable it first.`);
}

async function showDelivery(context: CommandContext, delivery: ShownDelivery): Promise<Result> {
  const showing = { action: 'show', subject: 'delivery', to: delivery } as const;
  await context.logged(showing, () => Promise.resolve());
  const { body } = delivery;
  const log = delivery.log.map(
    ({ round, attempt, startedAt, milliseconds, url, statusCode, response, error }) => {
      return { round, attempt, startedAt, milliseconds, url, statusCode, response, error };
    },
  );
  return report(
    { ...deliveryView(delivery), body, log },
    item(delivery, { ...plainColumns(deliveryFields), Body: () => body }),
    '',
    list(delivery.log, attemptFields),
  );
}

export function deliveryView(delivery: ListedDelivery) {
  const { status } = delivery;
  return {
    _id: delivery._id.toHexString(),
    endpointId: delivery.endpointId.toHexString(),
    messageId: delivery.messageId,
    type: delivery.type,
    objectId: delivery.objectId,
    status,
    failureReason: delivery.failureReason,
    round: delivery.round,
    attempts: delivery.attempts,
    lastStatusCode: delivery.lastStatusCode,
    lastError: delivery.lastError,
    lastAttemptAt: delivery.lastAttemptAt,
    nextAttemptAt: status === 'pending' ? delivery.nextAttemptAt : null,
    completedAt: delivery.completedAt,
    createdAt: delivery.createdAt,
  };
}
