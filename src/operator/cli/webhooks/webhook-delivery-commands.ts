import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { DeliveryStatus } from '../../../webhooks/deliveries/delivery-outcome.js';
import type {
  DeliveryFilter,
  ShownDelivery,
} from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { WebhookEndpointDocument } from '../../../webhooks/endpoints/webhook-endpoint.schema.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { deliveryDetailView, deliveryView } from './delivery-view.js';
import { logged } from '../command-line/logged.js';
import { WrongUsageError } from '../command-line/operator-command.js';
import { deliveryStatus, listLimit, name, objectId, time } from '../command-line/option-values.js';
import { organizationOf } from '../organizations/organization-view.js';
import {
  type OutputOptions,
  printJson,
  printLine,
  printList,
  printItem,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { plainColumns } from '../../views/field.js';
import { attemptFields, deliveryFields, deliveryListFields } from '../../views/webhook.js';
import { deliveriesOf, endpointOf, endpointsOf, noEndpoint } from './webhook-view.js';

interface ReplayOptions extends OutputOptions {
  readonly failed?: boolean;
  readonly since?: Date;
  readonly until?: Date;
}

interface ListOptions extends Omit<ReplayOptions, 'failed'> {
  readonly org?: string;
  readonly status?: DeliveryStatus;
  readonly type?: string;
  readonly object?: string;
  readonly limit: number;
}

const replayTexts = {
  counted: 'deliveries to be sent again',
  remedy: 'Run the command again for the rest: nothing is sent twice.',
};

/** Adds `webhook deliveries` and `webhook replay`. */
export function addDeliveryCommands(group: Command): void {
  addDeliveries(group);
  addReplay(group);
}

function addDeliveries(group: Command): void {
  addPrintingCommand(group, {
    name: 'deliveries',
    description: 'list what was sent, newest first, or show one delivery with all its attempts',
    example: `webhook deliveries ${exampleId} --status failed --since 2030-01-31`,
  })
    .argument('[id]', 'id of an endpoint, or of a delivery', objectId)
    .option('--org <id>', 'of all endpoints of an organization, by its id or name', name)
    .option('--status <status>', 'pending, delivered or failed', deliveryStatus)
    .option('--type <type>', 'of one type of event, such as lead.created')
    .option('--object <id>', 'about one lead, client, unit or wallet')
    .option('--since <date>', 'created since then, ISO 8601', time)
    .option('--until <date>', 'created before then, ISO 8601', time)
    .option('--limit <n>', 'how many at most', listLimit, 50)
    .action((id: string | undefined, options: ListOptions) => {
      if (id === undefined && options.org === undefined) {
        throw new WrongUsageError('Give the id of an endpoint or delivery, or --org.');
      }
      return withApplication(async (application) => {
        const found = id === undefined ? {} : await endpointOrDelivery(application, id);
        if (found.delivery !== undefined) return printOne(application, found.delivery, options);
        const organizationId =
          found.endpoint?.organizationId ??
          (await organizationOf(application, options.org ?? ''))._id;
        const { status, type, object, since, until, limit } = options;
        const objectIds = object === undefined ? undefined : [object];
        const endpointId = found.endpoint?._id;
        const filter = { endpointId, objectIds, status, type, since, until };
        const deliveries = await deliveriesOf(application);
        const listed = await deliveries.list(organizationId, filter, limit);
        if (options.json === true) return printJson(listed.map(deliveryView));
        return printList(listed, plainColumns(deliveryListFields), options);
      });
    });
}

function addReplay(group: Command): void {
  addPrintingCommand(group, {
    name: 'replay',
    description:
      'send a delivery again, or those of an endpoint that failed or are in a time range',
    example: `webhook replay ${exampleId} --failed --since 2030-01-31`,
  })
    .argument('<id>', 'id of a delivery, or of an endpoint', objectId)
    .option('--failed', 'what has failed')
    .option('--since <date>', 'what was created since then, ISO 8601', time)
    .option('--until <date>', 'what was created before then, ISO 8601', time)
    .action((id: string, options: ReplayOptions) =>
      withApplication(async (application) => {
        const found = await endpointOrDelivery(application, id);
        const endpoint =
          found.endpoint ??
          (await endpointOf(application, found.delivery?.endpointId.toHexString() ?? id)).document;
        const endpointId = endpoint._id.toHexString();
        if (endpoint.removedAt) throw noEndpoint(endpointId);
        if (endpoint.isEnabled !== true) {
          throw new Error(`The endpoint ${endpointId} is disabled: enable it first.`);
        }
        const filter = replayFilter(found.delivery, options);
        const deliveries = await deliveriesOf(application);
        const { failed, since, until } = options;
        const words = [
          ...(failed === true ? ['failed'] : []),
          ...(since === undefined ? [] : ['since', since.toISOString()]),
          ...(until === undefined ? [] : ['until', until.toISOString()]),
        ];
        const replaying = {
          action: 'replay',
          subject: found.delivery === undefined ? 'endpoint' : 'delivery',
          to: { _id: id, organizationId: endpoint.organizationId },
          details: words.join(' '),
        } as const;
        const replayed = await logged(application, replaying, () =>
          withProgress(replayTexts, (progress) => deliveries.replay(endpoint, filter, progress)),
        );
        printItem({ replayed }, { 'To be sent again': (item) => item.replayed }, options);
      }),
    );
}

async function endpointOrDelivery(
  application: INestApplicationContext,
  id: string,
): Promise<{ endpoint?: WebhookEndpointDocument; delivery?: ShownDelivery }> {
  const { Types } = await import('mongoose');
  const _id = new Types.ObjectId(id);
  const endpoint = await (await endpointsOf(application)).findWithRemoved(_id);
  if (endpoint !== null) return { endpoint };
  const delivery = await (await deliveriesOf(application)).find(_id);
  if (delivery !== null) return { delivery };
  throw new Error(`There is no webhook endpoint or delivery with id ${id}.`);
}

async function printOne(
  application: INestApplicationContext,
  delivery: ShownDelivery,
  options: OutputOptions,
): Promise<void> {
  const showing = { action: 'show', subject: 'delivery', to: delivery } as const;
  await logged(application, showing, () => Promise.resolve());
  if (options.json === true) return printJson(deliveryDetailView(delivery));
  const body = { Body: () => delivery.body };
  printItem(delivery, { ...plainColumns(deliveryFields), ...body }, options);
  printLine('');
  printList(delivery.log, plainColumns(attemptFields), options);
}

function replayFilter(
  delivery: ShownDelivery | undefined,
  { failed, since, until }: ReplayOptions,
): DeliveryFilter {
  const isChosen = failed === true || since !== undefined || until !== undefined;
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
  return { status: failed === true ? 'failed' : undefined, since, until };
}
