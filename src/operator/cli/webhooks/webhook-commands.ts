import type { Command } from 'commander';
import { eventTypes } from '../../../events/outbox/event-types.js';
import { withApplication } from '../command-line/application.js';
import { addCommand, addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { logged } from '../command-line/logged.js';
import { eventList, name, objectId, webAddress } from '../command-line/option-values.js';
import { organizationOf } from '../organizations/organization-view.js';
import { type OutputOptions, printList, printItem } from '../command-line/output.js';
import { addDeliveryCommands } from './webhook-delivery-commands.js';
import { addEventsCommand } from './webhook-events-command.js';
import { addResealCommand } from './webhook-reseal-command.js';
import { addStateCommands, changeAndPrint } from './webhook-state-commands.js';
import { addTestCommand } from './webhook-test-command.js';
import { plainColumns } from '../../views/field.js';
import { endpointDetailFields, endpointListFields } from '../../views/webhook.js';
import {
  deliveriesOf,
  endpointOf,
  endpointsOf,
  endpointView,
  newEndpointColumns,
  newEndpointView,
} from './webhook-view.js';

interface EndpointOptions extends OutputOptions {
  readonly url?: string;
  readonly events?: readonly string[];
}

interface AddOptions extends Required<Omit<EndpointOptions, 'json'>>, OutputOptions {
  readonly org: string;
}

const events = `types of events, separated by commas: ${eventTypes.join(', ')}, lead.* or *`;

export function addWebhookCommands(program: Command): void {
  const group = addCommand(program, {
    name: 'webhook',
    description: 'subscribe endpoints to events, list deliveries, and replay them',
    example: `webhook list --org ${exampleId}`,
  });
  addAdd(group);
  addList(group);
  addShow(group);
  addUpdate(group);
  addStateCommands(group);
  addResealCommand(group);
  addTestCommand(group);
  addDeliveryCommands(group);
  addEventsCommand(group);
  addRemove(group);
}

function addAdd(group: Command): void {
  addPrintingCommand(group, {
    name: 'add',
    description: 'subscribe an endpoint to events and show its secret once',
    example: `webhook add --org ${exampleId} --url https://example.com/hooks --events 'lead.*'`,
  })
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .requiredOption('--url <url>', 'https address that receives the events', webAddress)
    .requiredOption('--events <types>', events, eventList)
    .action((options: AddOptions) =>
      withApplication(async (application) => {
        const { _id } = await organizationOf(application, options.org);
        const fields = { url: options.url, eventTypes: options.events };
        const endpoints = await endpointsOf(application);
        const to = { _id, organizationId: _id };
        const adding = { action: 'add', subject: 'organization', to } as const;
        const added = await logged(application, adding, () => endpoints.add(_id, fields));
        printItem(newEndpointView(added), newEndpointColumns, options);
      }),
    );
}

function addList(group: Command): void {
  addPrintingCommand(group, {
    name: 'list',
    description: 'list the endpoints of an organization, oldest first',
    example: `webhook list --org ${exampleId}`,
  })
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .action((options: OutputOptions & { readonly org: string }) =>
      withApplication(async (application) => {
        const { _id } = await organizationOf(application, options.org);
        const endpoints = await (await endpointsOf(application)).list(_id);
        printList(endpoints.map(endpointView), plainColumns(endpointListFields), options);
      }),
    );
}

function addShow(group: Command): void {
  addPrintingCommand(group, {
    name: 'show',
    description: 'show an endpoint, its state and how much waits for it',
    example: `webhook show ${exampleId}`,
  })
    .argument('<id>', 'id of the endpoint', objectId)
    .action((id: string, options: OutputOptions) =>
      withApplication(async (application) => {
        const { document, shown } = await endpointOf(application, id);
        const pending = await (await deliveriesOf(application)).countWaiting(document._id);
        printItem({ ...endpointView(shown), pending }, plainColumns(endpointDetailFields), options);
      }),
    );
}

function addUpdate(group: Command): void {
  const command = addPrintingCommand(group, {
    name: 'update',
    description: 'change the URL or the events of an endpoint; its secret stays',
    example: `webhook update ${exampleId} --events lead.created,lead.updated`,
  })
    .argument('<id>', 'id of the endpoint', objectId)
    .option('--url <url>', 'https address that receives the events', webAddress)
    .option('--events <types>', events, eventList);
  command.action((id: string, options: EndpointOptions) => {
    if (options.url === undefined && options.events === undefined) {
      command.error('error: give at least one option to change');
    }
    return changeAndPrint(id, 'update', options, (endpoints, _id) =>
      endpoints.update(_id, {
        ...(options.url === undefined ? {} : { url: options.url }),
        ...(options.events === undefined ? {} : { eventTypes: options.events }),
      }),
    );
  });
}

function addRemove(group: Command): void {
  addPrintingCommand(group, {
    name: 'remove',
    description: 'remove an endpoint and its secrets; what waits for it fails, its log stays',
    example: `webhook remove ${exampleId}`,
  })
    .argument('<id>', 'id of the endpoint', objectId)
    .action((id: string, options: OutputOptions) =>
      withApplication(async (application) => {
        const { document } = await endpointOf(application, id);
        const endpoints = await endpointsOf(application);
        const removing = { action: 'remove', subject: 'endpoint', to: document } as const;
        await logged(application, removing, () => endpoints.remove(document._id));
        const removed = { _id: document._id.toHexString(), url: document.url };
        printItem(removed, { Removed: ({ _id }) => _id, URL: ({ url }) => url }, options);
      }),
    );
}
