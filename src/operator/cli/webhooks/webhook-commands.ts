import { eventTypes } from '../../../events/outbox/event-types.js';
import {
  argument,
  type CommandGroup,
  defineCommand,
  exampleId,
  flag,
  option,
  required,
  UsageError,
  org,
} from '../command-line/command-definition.js';
import * as parse from '../command-line/option-values.js';

const id = argument('<id>', 'id of the endpoint', parse.objectId);
const limit = option('<n>', 'maximum number of results', parse.limit, 50);
const urlText = 'https address that receives the events';
const eventsText = `types of events, separated by commas: ${eventTypes.join(', ')}, lead.* or *`;

export const webhookCommands = {
  add: defineCommand({
    description: 'subscribe an endpoint to events and show its secret once',
    example: `--org ${exampleId} --url https://example.com/hooks --events 'lead.*'`,
    parameters: {
      org,
      url: required('<url>', urlText, parse.url),
      events: required('<types>', eventsText, parse.eventTypes),
    },
  }),
  list: defineCommand({
    description: 'list endpoints with state and last failure, oldest first',
    example: '--failing',
    parameters: {
      org: option('<id>', 'only endpoints of this organization (id or name)', parse.name),
      failing: flag('only endpoints that are failing, faulty or given up'),
    },
  }),
  show: defineCommand({
    description: 'show an endpoint, its state and its number of pending deliveries',
    example: exampleId,
    parameters: { id },
  }),
  update: defineCommand({
    description: 'change the URL or the events of an endpoint; its secret stays',
    example: `${exampleId} --events lead.created,lead.updated`,
    parameters: {
      id,
      url: option('<url>', urlText, parse.url),
      events: option('<types>', eventsText, parse.eventTypes),
    },
    check: ({ url, events }) => {
      if (url ?? events) return;
      throw new UsageError('Specify at least one of --url and --events.');
    },
  }),
  enable: defineCommand({
    description: 'enable an endpoint; events that it missed while disabled are not sent',
    example: exampleId,
    parameters: { id },
  }),
  disable: defineCommand({
    description: 'disable an endpoint; its pending deliveries fail',
    example: exampleId,
    parameters: { id },
  }),
  'rotate-secret': defineCommand({
    description: 'replace the secret of an endpoint and show the new one once',
    example: `${exampleId} --overlap-hours 48`,
    parameters: {
      id,
      overlapHours: option('<n>', 'hours for which the old secret stays valid', parse.hours, 24),
    },
  }),
  test: defineCommand({
    description: "send a ping and show the receiver's response; exits with 1 if it fails",
    example: exampleId,
    parameters: { id },
  }),
  remove: defineCommand({
    description: 'remove an endpoint and its secrets; its pending deliveries fail, its log stays',
    example: exampleId,
    parameters: { id },
  }),
  reseal: defineCommand({
    description:
      'reseal the secrets of all endpoints and signed keys with the first key of ENCRYPTION_KEYS',
  }),
  deliveries: defineCommand({
    description: 'list deliveries, newest first, or show one with all its attempts',
    example: `${exampleId} --status failed --since 2030-01-31`,
    parameters: {
      id: argument<string | undefined>(
        '[id]',
        'id of an endpoint, or of a delivery',
        parse.objectId,
      ),
      org: option(
        '<id>',
        'only deliveries to endpoints of this organization (id or name)',
        parse.name,
      ),
      status: option('<status>', 'only pending, delivered or failed', parse.deliveryStatus),
      type: option('<type>', 'only events of this type, such as lead.created', parse.text),
      object: option('<id>', 'only events about this lead, client, unit or wallet', parse.text),
      since: option('<date>', 'only deliveries since this time (ISO 8601)', parse.time),
      until: option('<date>', 'only deliveries before this time (ISO 8601)', parse.time),
      limit,
    },
    check: (values) => {
      if (values.id ?? values.org) return;
      throw new UsageError('Specify the id of an endpoint or delivery, or --org.');
    },
  }),
  replay: defineCommand({
    description: 'send a delivery again or, with options, several deliveries of an endpoint',
    example: `${exampleId} --failed --since 2030-01-31`,
    parameters: {
      id: argument('<id>', 'id of a delivery; with options, of an endpoint', parse.objectId),
      failed: flag('send only failed deliveries'),
      since: option('<date>', 'send only deliveries since this time (ISO 8601)', parse.time),
      until: option('<date>', 'send only deliveries before this time (ISO 8601)', parse.time),
    },
  }),
  events: defineCommand({
    description: 'list the events of an organization, newest first',
    example: `--org ${exampleId} --failed`,
    parameters: {
      org,
      failed: flag('only events that could not be relayed, with the reason'),
      limit,
    },
  }),
};

export const webhookGroup: CommandGroup = {
  name: 'webhook',
  description: 'subscribe endpoints to events, list deliveries, and replay them',
  commands: webhookCommands,
};
