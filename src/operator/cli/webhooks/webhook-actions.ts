import type { INestApplicationContext } from '@nestjs/common';
import { Types } from 'mongoose';
import { hourMs } from '../../../core/values/durations.js';
import {
  EventHistoryService,
  type ListedEvent,
} from '../../../events/outbox/event-history.service.js';
import { isSuccess } from '../../../webhooks/deliveries/delivery-outcome.js';
import { WebhookDeliveriesService } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import {
  type Resealed,
  SecretKeys,
  type UnopenedSecret,
} from '../../../webhooks/endpoints/secret-keys.js';
import type { WebhookEndpointDocument } from '../../../webhooks/endpoints/webhook-endpoint.schema.js';
import {
  type EndpointWithSecret,
  type ShownEndpoint,
  WebhookEndpointsService,
} from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookPingService } from '../../../webhooks/sending/webhook-ping.service.js';
import { plainColumns } from '../../views/field.js';
import {
  endpointDetailFields,
  endpointFields,
  endpointListFields,
  newEndpointFields,
} from '../../views/webhook.js';
import type { ActionsOf } from '../command-line/declaration.js';
import { logged } from '../command-line/logged.js';
import {
  type Columns,
  type OutputOptions,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { neededKeyColumns } from '../database/database-status.js';
import { organizationOf } from '../organizations/organization-view.js';
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

const unopenedColumns: Columns<UnopenedSecret> = {
  Endpoint: ({ endpointId }) => endpointId,
  'API key': ({ apiKeyId }) => apiKeyId,
  Organization: ({ organizationId }) => organizationId,
  'Encryption key': ({ key }) => key,
  'Not opened': ({ reason }) => reason,
};

export const actions: ActionsOf<typeof webhookCommands> = {
  add: async (application, { org, url, events, ...output }) => {
    const { _id } = await organizationOf(application, org);
    const to = { _id, organizationId: _id };
    const added = await logged(application, { action: 'add', subject: 'organization', to }, () =>
      application.get(WebhookEndpointsService).add(_id, { url, eventTypes: events }),
    );
    printItem(newEndpointView(added), newEndpointColumns, output);
  },

  list: async (application, { org, ...output }) => {
    const { _id } = await organizationOf(application, org);
    const endpoints = await application.get(WebhookEndpointsService).list(_id);
    printList(endpoints.map(endpointView), endpointListFields, output);
  },

  show: async (application, { id, ...output }) => {
    const { document, shown } = await endpointOf(application, id);
    const pending = await application.get(WebhookDeliveriesService).countWaiting(document._id);
    printItem({ ...endpointView(shown), pending }, endpointDetailFields, output);
  },

  update: (application, { id, url, events, ...output }) =>
    change(application, { id, action: 'update', output }, (endpoints, _id) =>
      endpoints.update(_id, { ...(url && { url }), ...(events && { eventTypes: events }) }),
    ),

  enable: (application, { id, ...output }) =>
    change(application, { id, action: 'enable', output }, (endpoints, _id) =>
      endpoints.enable(_id),
    ),

  disable: (application, { id, ...output }) =>
    change(application, { id, action: 'disable', output }, (endpoints, _id) =>
      endpoints.disable(_id),
    ),

  'rotate-secret': async (application, { id, overlapHours, ...output }) => {
    const { document: to } = await endpointOf(application, id);
    const rotated = await logged(application, { action: 'rotate', subject: 'endpoint', to }, () =>
      application.get(WebhookEndpointsService).rotateSecret(to._id, overlapHours * hourMs),
    );
    if (rotated === null) throw noEndpoint(id);
    const oldSecretExpiresAt = rotated.endpoint.secrets?.[1]?.expiresAt ?? null;
    const columns = { ...newEndpointColumns, 'Old secret signs until': () => oldSecretExpiresAt };
    printItem({ ...newEndpointView(rotated), oldSecretExpiresAt }, columns, output);
  },

  reseal: async (application, output) => {
    const outcome = await logged(application, { action: 'reseal', subject: 'database' }, () =>
      withProgress(resealTexts, (progress) => application.get(SecretKeys).reseal(progress)),
    );
    if (output.json === true) printJson(outcome);
    else printResealed(outcome);
    if (outcome.keys.some(({ state }) => state !== 'newest')) process.exitCode = 1;
  },

  test: async (application, { id, ...output }) => {
    const { document: to } = await endpointOf(application, id);
    const result = await logged(application, { action: 'test', subject: 'endpoint', to }, () =>
      application.get(WebhookPingService).ping(to),
    );
    printItem(pingView(result), pingColumns, output);
    if (!isSuccess(result)) process.exitCode = 1;
  },

  deliveries: listDeliveries,
  replay: replayDeliveries,

  events: async (application, { org, failed, limit, ...output }) => {
    const { _id } = await organizationOf(application, org);
    const events = await application.get(EventHistoryService).list(_id, { failed, limit });
    printList(events.map(eventView), eventColumns, output);
  },

  remove: async (application, { id, ...output }) => {
    const { document: to } = await endpointOf(application, id);
    await logged(application, { action: 'remove', subject: 'endpoint', to }, () =>
      application.get(WebhookEndpointsService).remove(to._id),
    );
    const removed = { _id: to._id.toHexString(), url: to.url };
    printItem(removed, { Removed: ({ _id }) => _id, URL: ({ url }) => url }, output);
  },
};

/** Changes an endpoint and prints it as it is then. @throws Error when there is none */
async function change(
  application: INestApplicationContext,
  call: {
    readonly id: string;
    readonly action: 'update' | 'enable' | 'disable';
    readonly output: OutputOptions;
  },
  work: (endpoints: WebhookEndpointsService, id: Types.ObjectId) => Promise<void>,
): Promise<void> {
  const { id, action, output } = call;
  const { document: to } = await endpointOf(application, id);
  await logged(application, { action, subject: 'endpoint', to }, () =>
    work(application.get(WebhookEndpointsService), to._id),
  );
  const { shown } = await endpointOf(application, id);
  printItem(endpointView(shown), endpointFields, output);
}

/** The stored endpoint of an id. @throws Error when there is none */
async function endpointOf(
  application: INestApplicationContext,
  id: string,
): Promise<{ readonly document: WebhookEndpointDocument; readonly shown: ShownEndpoint }> {
  const found = await application.get(WebhookEndpointsService).show(new Types.ObjectId(id));
  if (found === null || found.shown.isRemoved) throw noEndpoint(id);
  return found;
}

function noEndpoint(id: string): Error {
  return new Error(`There is no webhook endpoint with id ${id}.`);
}

/** An endpoint as JSON; a removed one is not printed. */
function endpointView({ isRemoved: _isRemoved, ...fields }: ShownEndpoint) {
  return fields;
}

/** An endpoint with its new secret, the one time that it is printed. */
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

function printResealed({ resealed, unopened, keys }: Resealed): void {
  printLine(`Sealed with the newest key: ${resealed}`);
  if (unopened.length > 0) {
    printLine('');
    printList(unopened, unopenedColumns, {});
  }
  if (keys.length > 0) {
    printLine('');
    printList(keys, neededKeyColumns, {});
  }
}
