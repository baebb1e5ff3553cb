import { Types } from 'mongoose';
import { hourMs } from '../../../core/values/time.js';
import {
  EventHistoryService,
  type ListedEvent,
} from '../../../events/outbox/event-history.service.js';
import { isSuccess } from '../../../webhooks/deliveries/delivery-outcome.js';
import { SecretKeys, type UndecryptableSecret } from '../../../webhooks/endpoints/secret-keys.js';
import type { WebhookEndpointDocument } from '../../../webhooks/endpoints/webhook-endpoint.schema.js';
import {
  type EndpointWithSecret,
  type ShownEndpoint,
  WebhookEndpointsService,
} from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookPingService } from '../../../webhooks/sending/webhook-ping.service.js';
import { WebhookStatisticsService } from '../../../webhooks/statistics/webhook-statistics.service.js';
import { plainColumns } from '../../views/field.js';
import { endpointFields, endpointListFields, newEndpointFields } from '../../views/webhook.js';
import type { CommandContext } from '../command-line/context.js';
import type { ActionsOf } from '../command-line/declaration.js';
import { withProgress } from '../command-line/progress.js';
import { type Columns, item, list, report, type Result } from '../command-line/result.js';
import { neededKeyColumns } from '../database/database-status.js';
import { listDeliveries, replayDeliveries } from './delivery-actions.js';
import type { webhookCommands } from './webhook-commands.js';

const resealTexts = {
  counted: 'secrets sealed with the newest key',
  remedy: 'Run the command again for the rest.',
};

const newEndpointColumns = {
  ...plainColumns<ReturnType<typeof newEndpointView>>(newEndpointFields),
  Secret: ({ secret }: { readonly secret: string }) => `${secret}  (shown once)`,
};

const pingColumns: Columns<ReturnType<typeof pingView>> = {
  Delivered: ({ delivered }) => (delivered ? 'yes' : 'no'),
  Status: ({ statusCode }) => statusCode,
  Milliseconds: ({ milliseconds }) => milliseconds,
  Response: ({ response }) => response,
  Error: ({ error }) => error,
};

const eventColumns: Columns<ReturnType<typeof eventView>> = {
  Id: ({ _id }) => _id,
  Event: ({ type }) => type,
  Created: ({ createdAt }) => createdAt,
  Relayed: ({ relayedAt }) => relayedAt,
  Request: ({ requestId }) => requestId,
  Failure: ({ failureReason }) => failureReason,
};

const unopenedColumns: Columns<UndecryptableSecret> = {
  Endpoint: ({ endpointId }) => endpointId,
  'API key': ({ apiKeyId }) => apiKeyId,
  Organization: ({ organizationId }) => organizationId,
  'Encryption key': ({ key }) => key,
  'Not opened': ({ reason }) => reason,
};

export const actions: ActionsOf<typeof webhookCommands> = {
  add: async (context, { org, url, events }) => {
    const { _id } = await context.organization(org);
    const adding = { action: 'add', subject: 'organization', to: { _id } } as const;
    const added = await context.logged(adding, () =>
      context.get(WebhookEndpointsService).add(_id, { url, eventTypes: events }),
    );
    return item(newEndpointView(added), newEndpointColumns);
  },

  list: async (context, { org }) => {
    const { _id } = await context.organization(org);
    const endpoints = await context.get(WebhookEndpointsService).list(_id);
    return list(endpoints.map(endpointView), endpointListFields);
  },

  show: (context, { id }) => show(context, id),

  update: (context, { id, url, events }) =>
    change(context, id, 'update', (endpoints, _id) =>
      endpoints.update(_id, { ...(url && { url }), ...(events && { eventTypes: events }) }),
    ),

  enable: (context, { id }) =>
    change(context, id, 'enable', (endpoints, _id) => endpoints.enable(_id)),

  disable: (context, { id }) =>
    change(context, id, 'disable', (endpoints, _id) => endpoints.disable(_id)),

  'rotate-secret': async (context, { id, overlapHours }) => {
    const { document: to } = await endpointOf(context, id);
    const rotated = await context.logged({ action: 'rotate', subject: 'endpoint', to }, () =>
      context.get(WebhookEndpointsService).rotateSecret(to._id, overlapHours * hourMs),
    );
    if (rotated === null) throw endpointNotFound(id);
    const oldSecretExpiresAt = rotated.endpoint.secrets?.[1]?.expiresAt ?? null;
    const columns = { ...newEndpointColumns, 'Old secret signs until': () => oldSecretExpiresAt };
    return item({ ...newEndpointView(rotated), oldSecretExpiresAt }, columns);
  },

  reseal: async (context) => {
    const outcome = await context.logged({ action: 'reseal', subject: 'database' }, () =>
      withProgress(resealTexts, (progress) => context.get(SecretKeys).reseal(progress)),
    );
    const { resealed, unopened, keys } = outcome;
    const parts = [
      `Sealed with the newest key: ${resealed}`,
      ...(unopened.length > 0 ? ['', list(unopened, unopenedColumns)] : []),
      ...(keys.length > 0 ? ['', list(keys, neededKeyColumns)] : []),
    ];
    const isFailed = keys.some(({ state }) => state !== 'newest');
    return { ...report(outcome, ...parts), isFailed };
  },

  test: async (context, { id }) => {
    const { document: to } = await endpointOf(context, id);
    const result = await context.logged({ action: 'test', subject: 'endpoint', to }, () =>
      context.get(WebhookPingService).ping(to),
    );
    return { ...item(pingView(result), pingColumns), isFailed: !isSuccess(result) };
  },

  deliveries: listDeliveries,
  replay: replayDeliveries,

  events: async (context, { org, failed, limit }) => {
    const { _id } = await context.organization(org);
    const events = await context.get(EventHistoryService).list(_id, { failed, limit });
    return list(events.map(eventView), eventColumns);
  },

  remove: async (context, { id }) => {
    const { document: to } = await endpointOf(context, id);
    await context.logged({ action: 'remove', subject: 'endpoint', to }, () =>
      context.get(WebhookEndpointsService).remove(to._id),
    );
    const removed = { _id: to._id.toHexString(), url: to.url };
    return item(removed, { Removed: ({ _id }) => _id, URL: ({ url }) => url });
  },
};

async function change(
  context: CommandContext,
  id: string,
  action: 'update' | 'enable' | 'disable',
  work: (endpoints: WebhookEndpointsService, id: Types.ObjectId) => Promise<void>,
): Promise<Result> {
  const { document: to } = await endpointOf(context, id);
  await context.logged({ action, subject: 'endpoint', to }, () =>
    work(context.get(WebhookEndpointsService), to._id),
  );
  return show(context, id);
}

async function show(context: CommandContext, id: string): Promise<Result> {
  const { document, shown } = await endpointOf(context, id);
  const pending = await context.get(WebhookStatisticsService).countWaiting(document._id);
  return item({ ...endpointView(shown), pending }, endpointFields);
}

/** @throws Error when there is none */
async function endpointOf(
  context: CommandContext,
  id: string,
): Promise<{ readonly document: WebhookEndpointDocument; readonly shown: ShownEndpoint }> {
  const found = await context.get(WebhookEndpointsService).show(new Types.ObjectId(id));
  if (found === null || found.shown.isRemoved) throw endpointNotFound(id);
  return found;
}

function endpointNotFound(id: string): Error {
  return new Error(`There is no webhook endpoint with id ${id}.`);
}

function endpointView({ isRemoved: _isRemoved, ...fields }: ShownEndpoint) {
  return fields;
}

/** The secret is shown this once. */
function newEndpointView({ endpoint, secret }: EndpointWithSecret) {
  const { _id, url, eventTypes } = endpoint;
  return { _id: _id.toHexString(), url, eventTypes: eventTypes ?? [], secret };
}

function pingView(result: Awaited<ReturnType<WebhookPingService['ping']>>) {
  const { statusCode, milliseconds, response, error } = result;
  return { delivered: isSuccess(result), statusCode, milliseconds, response, error };
}

function eventView({ _id, type, createdAt, numberedAt, requestId, failureReason }: ListedEvent) {
  return {
    _id: _id.toHexString(),
    type,
    createdAt,
    relayedAt: numberedAt ?? null,
    requestId: requestId ?? null,
    failureReason: failureReason ?? null,
  };
}
