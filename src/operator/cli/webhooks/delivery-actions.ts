import type { INestApplicationContext } from '@nestjs/common';
import { Types } from 'mongoose';
import {
  type DeliveryFilter,
  type ListedDelivery,
  type ShownDelivery,
  WebhookDeliveriesService,
} from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { WebhookEndpointDocument } from '../../../webhooks/endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsService } from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { plainColumns } from '../../views/field.js';
import { attemptFields, deliveryFields, deliveryListFields } from '../../views/webhook.js';
import type { ValuesOf } from '../command-line/declaration.js';
import { logged } from '../command-line/logged.js';
import { WrongUsageError } from '../command-line/operator-command.js';
import {
  type OutputOptions,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { organizationOf } from '../organizations/organization-view.js';
import type { webhookCommands } from './webhook-commands.js';

type ReplayOptions = ValuesOf<typeof webhookCommands.replay>;

const replayTexts = {
  counted: 'deliveries to be sent again',
  remedy: 'Run the command again for the rest: nothing is sent twice.',
};

/** The action of `webhook deliveries`. */
export async function listDeliveries(
  application: INestApplicationContext,
  values: ValuesOf<typeof webhookCommands.deliveries>,
): Promise<void> {
  const { id, org = '', object, limit, status, type, since, until, ...output } = values;
  const found = id === undefined ? {} : await endpointOrDelivery(application, id);
  if (found.delivery !== undefined) return printOne(application, found.delivery, output);
  const organizationId =
    found.endpoint?.organizationId ?? (await organizationOf(application, org))._id;
  const objectIds = object === undefined ? undefined : [object];
  const filter = { endpointId: found.endpoint?._id, objectIds, status, type, since, until };
  const deliveries = application.get(WebhookDeliveriesService);
  const listed = await deliveries.list(organizationId, filter, limit);
  if (output.json === true) return printJson(listed.map(deliveryView));
  printList(listed, deliveryListFields, output);
}

/** The action of `webhook replay`. */
export async function replayDeliveries(
  application: INestApplicationContext,
  { id, json, ...options }: ReplayOptions,
): Promise<void> {
  const { delivery, ...found } = await endpointOrDelivery(application, id);
  const endpoint =
    found.endpoint ??
    (delivery && (await application.get(WebhookEndpointsService).find(delivery.endpointId)));
  const endpointId = delivery?.endpointId.toHexString() ?? id;
  if (!endpoint || endpoint.removedAt) {
    throw new Error(`There is no webhook endpoint with id ${endpointId}.`);
  }
  if (endpoint.isEnabled !== true) {
    throw new Error(`The endpoint ${endpointId} is disabled: enable it first.`);
  }
  const filter = replayFilter(delivery, options);
  const { failed, since, until } = options;
  const words = [
    ...(failed ? ['failed'] : []),
    ...(since === undefined ? [] : ['since', since.toISOString()]),
    ...(until === undefined ? [] : ['until', until.toISOString()]),
  ];
  const replaying = {
    action: 'replay',
    subject: delivery === undefined ? 'endpoint' : 'delivery',
    to: { _id: id, organizationId: endpoint.organizationId },
    details: words.join(' '),
  } as const;
  const deliveries = application.get(WebhookDeliveriesService);
  const replayed = await logged(application, replaying, () =>
    withProgress(replayTexts, (progress) => deliveries.replay(endpoint, filter, progress)),
  );
  printItem({ replayed }, { 'To be sent again': (item) => item.replayed }, { json });
}

async function endpointOrDelivery(
  application: INestApplicationContext,
  id: string,
): Promise<{ endpoint?: WebhookEndpointDocument; delivery?: ShownDelivery }> {
  const _id = new Types.ObjectId(id);
  const endpoint = await application.get(WebhookEndpointsService).findWithRemoved(_id);
  if (endpoint !== null) return { endpoint };
  const delivery = await application.get(WebhookDeliveriesService).find(_id);
  if (delivery !== null) return { delivery };
  throw new Error(`There is no webhook endpoint or delivery with id ${id}.`);
}

async function printOne(
  application: INestApplicationContext,
  delivery: ShownDelivery,
  output: OutputOptions,
): Promise<void> {
  const showing = { action: 'show', subject: 'delivery', to: delivery } as const;
  await logged(application, showing, () => Promise.resolve());
  if (output.json === true) return printJson(deliveryDetailView(delivery));
  const body = { Body: () => delivery.body };
  printItem(delivery, { ...plainColumns(deliveryFields), ...body }, output);
  printLine('');
  printList(delivery.log, attemptFields, output);
}

function replayFilter(
  delivery: ShownDelivery | undefined,
  { failed, since, until }: Omit<ReplayOptions, 'id' | 'json'>,
): DeliveryFilter {
  const isChosen = failed || since !== undefined || until !== undefined;
  if (delivery !== undefined) {
    if (!isChosen) return { _id: delivery._id };
    throw new WrongUsageError(
      'This is one delivery, which its id names: --failed, --since and --until choose among those of an endpoint.',
    );
  }
  if (!isChosen) {
    throw new WrongUsageError(
      'Say what of the endpoint is to be sent again: --failed, --since or --until.',
    );
  }
  return { status: failed ? 'failed' : undefined, since, until };
}

/** A delivery as JSON; `nextAttemptAt` is null when there is no further attempt. */
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

/** A delivery as JSON, with its body and all attempts. */
function deliveryDetailView(delivery: ShownDelivery) {
  const log = delivery.log.map(
    ({ round, attempt, startedAt, milliseconds, url, statusCode, response, error }) => {
      return { round, attempt, startedAt, milliseconds, url, statusCode, response, error };
    },
  );
  return { ...deliveryView(delivery), body: delivery.body, log };
}
