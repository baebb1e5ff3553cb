import { Option } from '@commander-js/extra-typings';
import { eventTypes } from '../../../events/outbox/event-types.js';
import { deliveryStatuses } from '../../../webhooks/deliveries/attempt-outcome.js';
import { exampleId, newCommand, newGroup, UsageError } from '../command-line/command.js';
import * as parse from '../command-line/option-values.js';

const idText = 'id of the endpoint';
const urlText = 'https address that receives the events';
const eventsText = `types of events, separated by commas: ${eventTypes.join(', ')}, lead.* or *`;
const onlyOrgText = 'only endpoints of this organization (id or name)';

export const webhookCommands = {
  add: newCommand(
    'subscribe an endpoint to events and show its secret once',
    `--org ${exampleId} --url https://example.com/hooks --events 'lead.*'`,
  )
    .requiredOption('--org <id>', parse.orgText, parse.name)
    .requiredOption('--url <url>', urlText, parse.url)
    .requiredOption('--events <types>', eventsText, parse.eventTypes),
  list: newCommand('list endpoints with state and deliveries, oldest first', '--failing')
    .option('--org <id>', onlyOrgText, parse.name)
    .option('--failing', 'only endpoints that are failing, faulty or given up'),
  show: newCommand(
    'show an endpoint with its state, last failure and deliveries',
    exampleId,
  ).argument('<id>', idText, parse.objectId),
  update: newCommand(
    'change the URL or the events of an endpoint; its secret stays',
    `${exampleId} --events lead.created,lead.updated`,
  )
    .argument('<id>', idText, parse.objectId)
    .option('--url <url>', urlText, parse.url)
    .option('--events <types>', eventsText, parse.eventTypes)
    .hook('preAction', (command) => {
      const { url, events } = command.opts();
      if (url ?? events) return;
      throw new UsageError('Specify at least one of --url and --events.');
    }),
  enable: newCommand(
    'enable an endpoint; events that it missed while disabled are not sent',
    exampleId,
  ).argument('<id>', idText, parse.objectId),
  disable: newCommand('disable an endpoint; its waiting deliveries fail', exampleId).argument(
    '<id>',
    idText,
    parse.objectId,
  ),
  'rotate-secret': newCommand(
    'replace the secret of an endpoint and show the new one once',
    `${exampleId} --overlap-hours 48`,
  )
    .argument('<id>', idText, parse.objectId)
    .option('--overlap-hours <n>', 'hours for which the old secret stays valid', parse.hours, 24),
  test: newCommand(
    "send a ping and show the receiver's response; exits with 1 if it fails",
    exampleId,
  ).argument('<id>', idText, parse.objectId),
  remove: newCommand(
    'remove an endpoint and its secrets; its waiting deliveries fail, past ones stay listed',
    exampleId,
  ).argument('<id>', idText, parse.objectId),
  reseal: newCommand(
    'reseal the secrets of all endpoints and signed keys with the first key of ENCRYPTION_KEYS',
  ),
  deliveries: newCommand(
    'list deliveries, newest first, or show one with all its attempts',
    `${exampleId} --status failed --since 2030-01-31`,
  )
    .argument('[id]', 'id of an endpoint, or of a delivery', parse.objectId)
    .option(
      '--org <id>',
      'only deliveries to endpoints of this organization (id or name)',
      parse.name,
    )
    .addOption(
      new Option('--status <status>', 'only deliveries in this state').choices(deliveryStatuses),
    )
    .option('--type <type>', 'only events of this type, such as lead.created')
    .option('--object <id>', 'only events about this lead, client, unit or wallet')
    .option('--since <date>', 'only deliveries since this time (ISO 8601)', parse.time)
    .option('--until <date>', 'only deliveries before this time (ISO 8601)', parse.time)
    .option('--limit <n>', parse.limitText, parse.limit, 50)
    .hook('preAction', (command) => {
      if (command.args[0] ?? command.opts().org) return;
      throw new UsageError('Specify the id of an endpoint or delivery, or --org.');
    }),
  replay: newCommand(
    'send a delivery again or, with options, several deliveries of an endpoint',
    `${exampleId} --failed --since 2030-01-31`,
  )
    .argument('<id>', 'id of a delivery; with options, of an endpoint', parse.objectId)
    .option('--failed', 'send only failed deliveries')
    .option('--since <date>', 'send only deliveries since this time (ISO 8601)', parse.time)
    .option('--until <date>', 'send only deliveries before this time (ISO 8601)', parse.time),
  events: newCommand(
    'list the events of an organization, newest first',
    `--org ${exampleId} --failed`,
  )
    .requiredOption('--org <id>', parse.orgText, parse.name)
    .option('--failed', 'only events that could not be relayed, with the reason')
    .option('--limit <n>', parse.limitText, parse.limit, 50),
};

export const webhookGroup = newGroup(
  'webhook',
  'subscribe endpoints to events, list deliveries, and replay them',
  webhookCommands,
);
