import type { Command } from 'commander';
import type { Types } from 'mongoose';
import type { WebhookEndpointsService } from '../../../webhooks/endpoints/webhook-endpoints.service.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { logged } from '../command-line/logged.js';
import { hours, objectId } from '../command-line/option-values.js';
import { type OutputOptions, printItem } from '../command-line/output.js';
import { plainColumns } from '../../views/field.js';
import { endpointFields } from '../../views/webhook.js';
import { hourMs } from '../../../core/values/durations.js';
import {
  endpointOf,
  endpointsOf,
  endpointView,
  newEndpointColumns,
  newEndpointView,
  noEndpoint,
} from './webhook-view.js';

interface RotateOptions extends OutputOptions {
  readonly overlapHours: number;
}

/** Adds `webhook enable`, `webhook disable` and `webhook rotate-secret`. */
export function addStateCommands(group: Command): void {
  addSwitch(group, {
    name: 'enable',
    description: 'send to an endpoint again; what it missed while it was disabled is not sent',
    change: (endpoints, id) => endpoints.enable(id),
  });
  addSwitch(group, {
    name: 'disable',
    description: 'send nothing to an endpoint; what waits for it fails',
    change: (endpoints, id) => endpoints.disable(id),
  });
  addRotate(group);
}

interface Switch {
  readonly name: 'enable' | 'disable';
  readonly description: string;
  readonly change: (endpoints: WebhookEndpointsService, id: Types.ObjectId) => Promise<void>;
}

function addSwitch(group: Command, { name, description, change }: Switch): void {
  addPrintingCommand(group, { name, description, example: `webhook ${name} ${exampleId}` })
    .argument('<id>', 'id of the endpoint', objectId)
    .action((id: string, options: OutputOptions) => changeAndPrint(id, name, options, change));
}

function addRotate(group: Command): void {
  addPrintingCommand(group, {
    name: 'rotate-secret',
    description:
      'give an endpoint a new secret, show it once, and let the old one sign for a while',
    example: `webhook rotate-secret ${exampleId} --overlap-hours 48`,
  })
    .argument('<id>', 'id of the endpoint', objectId)
    .option('--overlap-hours <n>', 'how long the old secret keeps signing', hours, 24)
    .action((id: string, options: RotateOptions) =>
      withApplication(async (application) => {
        const endpoints = await endpointsOf(application);
        const { document: endpoint } = await endpointOf(application, id);
        const rotating = { action: 'rotate', subject: 'endpoint', to: endpoint } as const;
        const rotated = await logged(application, rotating, () =>
          endpoints.rotateSecret(endpoint._id, options.overlapHours * hourMs),
        );
        if (rotated === null) throw noEndpoint(id);
        const oldSecretExpiresAt = rotated.endpoint.secrets?.[1]?.expiresAt ?? null;
        const columns = {
          ...newEndpointColumns,
          'Old secret signs until': () => oldSecretExpiresAt,
        };
        printItem({ ...newEndpointView(rotated), oldSecretExpiresAt }, columns, options);
      }),
    );
}

/** Changes an endpoint and prints it as it is then. @throws Error when there is none */
export function changeAndPrint(
  id: string,
  action: 'update' | 'enable' | 'disable',
  options: OutputOptions,
  change: Switch['change'],
): Promise<void> {
  return withApplication(async (application) => {
    const { document: endpoint } = await endpointOf(application, id);
    const endpoints = await endpointsOf(application);
    const changing = { action, subject: 'endpoint', to: endpoint } as const;
    await logged(application, changing, () => change(endpoints, endpoint._id));
    const { shown } = await endpointOf(application, id);
    printItem(endpointView(shown), plainColumns(endpointFields), options);
  });
}
