import { Types } from 'mongoose';
import { hourMs } from '../../../core/values/time.js';
import {
  OutboxEventsRepository,
  type ListedEvent,
} from '../../../events/outbox/outbox-events.repository.js';
import { isSuccess } from '../../../webhooks/deliveries/attempt-outcome.js';
import {
  type ListedDelivery,
  type DeliveryDetails,
  WebhookDeliveriesService,
} from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import { SecretKeys } from '../../../webhooks/endpoints/secret-keys.js';
import {
  type EndpointWithSecret,
  type EndpointView,
  WebhookEndpointsService,
} from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookStatsService } from '../../../webhooks/statistics/webhook-stats.service.js';
import { field } from '../../views/view-field.js';
import {
  attemptFields,
  deliveryFields,
  deliveryListFields,
  endpointCountFields,
  endpointFields,
  endpointListFields,
} from '../../views/webhook.js';
import type { CommandContext } from '../command-line/context.js';
import { type CommandActions, UsageError } from '../command-line/command.js';
import { withProgress } from '../command-line/progress.js';
import {
  item,
  list,
  joinResults,
  type Result,
  showSecrets,
  type View,
} from '../command-line/result.js';
import type { webhookCommands } from './webhook-commands.js';

const maxListed = 100_000;
const eventFields: View<ReturnType<typeof eventJson>> = [
  '_id',
  'type',
  'createdAt',
  'relayedAt',
  field('text', 'Reason', 'failureReason'),
];
const resealTexts = {
  counted: 'secrets sealed with the newest key',
  remedy: 'Run the command again for the rest.',
};
const replayTexts = {
  counted: 'deliveries queued to be sent again',
  remedy: 'Run the command again for the rest: nothing is sent twice.',
};

export const actions: CommandActions<typeof webhookCommands> = {
  add: async (context, { org, url, events }) => {
    const { _id } = await context.organization(org);
    const added = await context.audit('endpoint.add', { _id }, () =>
      context.get(WebhookEndpointsService).add(_id, { url, eventTypes: events }),
    );
    return showSecrets(newEndpointJson(added));
  },

  list: async (context, { org, failing }) => {
    const organization = org === undefined ? undefined : await context.organization(org);
    const query = { organizationId: organization?._id, show: failing ? 'failing' : 'all' } as const;
    const endpoints = context.get(WebhookEndpointsService);
    const { items } = await endpoints.listWithStats(query, { limit: maxListed });
    const oldestFirst = items.toReversed();
    return list(oldestFirst, endpointListFields, oldestFirst.map(endpointJson));
  },

  show: (context, id) => show(context, id),

  update: changeAction('endpoint.update', (endpoints, _id, { url, events }) =>
    endpoints.update(_id, { ...(url && { url }), ...(events && { eventTypes: events }) }),
  ),

  enable: changeAction('endpoint.enable', (endpoints, _id) => endpoints.enable(_id)),

  disable: changeAction('endpoint.disable', (endpoints, _id) => endpoints.disable(_id)),

  'rotate-secret': async (context, id, { overlapHours }) => {
    const { document } = await endpointOf(context, id);
    const rotated = await context.audit('endpoint.rotate_secret', document, () =>
      context.get(WebhookEndpointsService).rotateSecret(document._id, overlapHours * hourMs),
    );
    if (rotated === null) throw notFound(id);
    const oldSecretExpiresAt = rotated.endpoint.secrets?.[1]?.expiresAt ?? null;
    return showSecrets({ ...newEndpointJson(rotated), oldSecretExpiresAt });
  },

  reseal: async (context) => {
    const outcome = await context.audit('secrets.reseal', null, () =>
      withProgress(resealTexts, (progress) => context.get(SecretKeys).reseal(progress)),
    );
    const { resealed, unopened, keys } = outcome;
    const parts = [
      `Sealed with the newest key: ${resealed}`,
      unopened.length > 0 && list(unopened),
      keys.length > 0 && list(keys),
    ];
    const isFailed = keys.some(({ state }) => state !== 'newest');
    return { ...joinResults(outcome, ...parts), isFailed };
  },

  test: async (context, id) => {
    const { document } = await endpointOf(context, id);
    const result = await context.audit('endpoint.test', document, () =>
      context.get(WebhookDeliveriesService).ping(document),
    );
    const { statusCode, milliseconds, response, redirectsTo, error } = result;
    const delivered = isSuccess(result);
    const shown = { delivered, statusCode, milliseconds, response, redirectsTo, error };
    return { ...item(shown), isFailed: !delivered };
  },

  deliveries: async (context, id, { org = '', object, limit, json: _json, ...others }) => {
    const deliveries = context.get(WebhookDeliveriesService);
    const _id = id === undefined ? null : new Types.ObjectId(id);
    const endpoint = _id && (await context.get(WebhookEndpointsService).find(_id));
    if (_id !== null && endpoint === null) {
      const delivery = await deliveries.find(_id);
      if (delivery !== null) return showDelivery(context, delivery);
      throw notFound(_id, 'endpoint or delivery');
    }
    const organizationId = endpoint?.organizationId ?? (await context.organization(org))._id;
    const objectIds = object === undefined ? undefined : [object];
    const filter = { endpointId: endpoint?._id, objectIds, ...others };
    const { items } = await deliveries.listPage(organizationId, filter, { limit });
    return list(items, deliveryListFields, items.map(deliveryJson));
  },

  replay: async (context, id, { failed = false, since, until }) => {
    const deliveries = context.get(WebhookDeliveriesService);
    const _id = new Types.ObjectId(id);
    const isOfEndpoint = failed || since !== undefined || until !== undefined;
    const delivery = isOfEndpoint ? null : await deliveries.find(_id);
    if (!isOfEndpoint && delivery === null) {
      const endpoint = await context.get(WebhookEndpointsService).find(_id);
      if (endpoint === null) throw notFound(id, 'delivery');
      const remedy = 'choose its deliveries by --failed, --since or --until';
      throw new UsageError(`${id} is an endpoint: ${remedy}.`);
    }
    const { document: endpoint } = await endpointOf(context, delivery?.endpointId ?? _id);
    if (!endpoint.isEnabled)
      throw new Error(`The endpoint ${endpoint._id.toHexString()} is disabled: enable it first.`);
    const times = Object.entries({ since, until }).flatMap(([word, time]) =>
      time === undefined ? [] : [word, time.toISOString()],
    );
    const details = [...(failed ? ['failed'] : []), ...times].join(' ');
    const status = failed ? ('failed' as const) : undefined;
    const filter = isOfEndpoint ? { status, since, until } : { _id };
    const replay = () =>
      withProgress(replayTexts, (progress) => deliveries.replay(endpoint, filter, progress));
    const replayed = isOfEndpoint
      ? await context.audit('endpoint.replay', endpoint, replay, details)
      : await context.audit('delivery.replay', { ...endpoint, _id }, replay);
    return joinResults({ replayed }, `Queued to be sent again: ${replayed}`);
  },

  events: async (context, { org, failed = false, limit }) => {
    const { _id } = await context.organization(org);
    const events = await context.get(OutboxEventsRepository).list(_id, { failed, limit });
    return list(events.map(eventJson), eventFields);
  },

  remove: async (context, id) => {
    const { document } = await endpointOf(context, id);
    const { _id, url } = document;
    await context.audit('endpoint.remove', document, () =>
      context.get(WebhookEndpointsService).remove(_id),
    );
    return joinResults({ _id: _id.toHexString(), url }, `Removed: ${_id.toHexString()} ${url}`);
  },
};

function changeAction<Values>(
  action: 'endpoint.update' | 'endpoint.enable' | 'endpoint.disable',
  change: (
    endpoints: WebhookEndpointsService,
    id: Types.ObjectId,
    values: Values,
  ) => Promise<unknown>,
) {
  return async (context: CommandContext, id: string, values: Values): Promise<Result> => {
    const { document } = await endpointOf(context, id);
    await context.audit(action, document, () =>
      change(context.get(WebhookEndpointsService), document._id, values),
    );
    return show(context, id);
  };
}

async function show(context: CommandContext, id: string): Promise<Result> {
  const { document, shown } = await endpointOf(context, id);
  const summary = await context.get(WebhookStatsService).summaryOf(document);
  const { delivered24h, failed24h, waiting, hasMoreWaiting, failed, hasMoreFailed } = summary;
  const { state, oldestWaitingAt, nextAttemptAt } = summary;
  return item({ ...summary, ...shown }, [...endpointFields, ...endpointCountFields], {
    ...endpointJson(shown),
    state,
    day: { delivered: delivered24h, failed: failed24h },
    waiting,
    hasMoreWaiting,
    failed,
    hasMoreFailed,
    oldestWaitingAt,
    nextAttemptAt,
  });
}

/** @throws Error when it does not exist */
async function endpointOf(context: CommandContext, id: Types.ObjectId | string) {
  const found = await context.get(WebhookEndpointsService).inspect(new Types.ObjectId(id));
  if (found === null || found.shown.isRemoved) throw notFound(id);
  return found;
}

function notFound(id: Types.ObjectId | string, kind = 'endpoint'): Error {
  const next = '`webhook list` and `webhook deliveries <endpoint>` list the ids';
  return new Error(`There is no webhook ${kind} with id ${String(id)}: ${next}.`);
}

function endpointJson<T extends EndpointView>(endpoint: T) {
  const { isRemoved: _isRemoved, ...fields } = endpoint;
  return fields;
}

function newEndpointJson({ endpoint, secret }: EndpointWithSecret) {
  const { _id, url, eventTypes } = endpoint;
  return { _id: _id.toHexString(), url, eventTypes: eventTypes ?? [], secret };
}

function eventJson(event: ListedEvent) {
  const { _id, type, createdAt, numberedAt, requestId = null, failureReason = null } = event;
  const relayedAt = numberedAt ?? null;
  return { _id: _id.toHexString(), type, createdAt, relayedAt, requestId, failureReason };
}

async function showDelivery(context: CommandContext, delivery: DeliveryDetails): Promise<Result> {
  await context.audit('delivery.show', delivery, async () => null);
  const { body, log } = delivery;
  const shown = item<DeliveryDetails>(delivery, [...deliveryFields, 'body']);
  return joinResults({ ...deliveryJson(delivery), body, log }, shown, list(log, attemptFields));
}

export function deliveryJson(delivery: ListedDelivery) {
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
