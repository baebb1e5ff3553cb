import { eventTypes } from '../../../events/outbox/event-types.js';
import {
  argument,
  type CommandGroup,
  declare,
  exampleId,
  flag,
  option,
  required,
  WrongUsageError,
  org,
} from '../command-line/declaration.js';
import * as parse from '../command-line/option-values.js';

const id = argument('<id>', 'id of the endpoint', parse.objectId);
const limit = option('<n>', 'how many at most', parse.limit, 50);
const urlText = 'https address that receives the events';
const eventsText = `types of events, separated by commas: ${eventTypes.join(', ')}, lead.* or *`;

export const webhookCommands = {
  add: declare({
    description: 'subscribe an endpoint to events and show its secret once',
    example: `--org ${exampleId} --url https://example.com/hooks --events 'lead.*'`,
    parameters: {
      org,
      url: required('<url>', urlText, parse.url),
      events: required('<types>', eventsText, parse.eventTypes),
    },
  }),
  list: declare({
    description: 'list endpoints with state and last failure, oldest first',
    example: '--failing',
    parameters: {
      org: option('<id>', 'of one organization, by its id or name', parse.name),
      failing: flag('only endpoints that fail or were disabled by failures'),
    },
  }),
  show: declare({
    description: 'show an endpoint, its state and its number of pending deliveries',
    example: exampleId,
    parameters: { id },
  }),
  update: declare({
    description: 'change the URL or the events of an endpoint; its secret stays',
    example: `${exampleId} --events lead.created,lead.updated`,
    parameters: {
      id,
      url: option('<url>', urlText, parse.url),
      events: option('<types>', eventsText, parse.eventTypes),
    },
    check: ({ url, events }) => {
      if (url ?? events) return;
      throw new WrongUsageError('Give at least one option to change');
    },
  }),
  enable: declare({
    description: 'enable an endpoint; events that it missed while disabled are not sent',
    example: exampleId,
    parameters: { id },
  }),
  disable: declare({
    description: 'disable an endpoint; its pending deliveries fail',
    example: exampleId,
    parameters: { id },
  }),
  'rotate-secret': declare({
    description:
      'give an endpoint a new secret and show it once; the old one stays valid for a while',
    example: `${exampleId} --overlap-hours 48`,
    parameters: {
      id,
      overlapHours: option('<n>', 'how long the old secret stays valid', parse.hours, 24),
    },
  }),
  test: declare({
    description: "send a ping and show the receiver's response; exits with 1 if it fails",
    example: exampleId,
    parameters: { id },
  }),
  remove: declare({
    description: 'remove an endpoint and its secrets; its pending deliveries fail, its log stays',
    example: exampleId,
    parameters: { id },
  }),
  reseal: declare({
    description:
      'seal the secrets of all endpoints and signed keys with the first of ENCRYPTION_KEYS',
  }),
  deliveries: declare({
    description: 'list deliveries, newest first, or show one with all its attempts',
    example: `${exampleId} --status failed --since 2030-01-31`,
    parameters: {
      id: argument<string | undefined>(
        '[id]',
        'id of an endpoint, or of a delivery',
        parse.objectId,
      ),
      org: option('<id>', 'of all endpoints of an organization, by its id or name', parse.name),
      status: option('<status>', 'pending, delivered or failed', parse.deliveryStatus),
      type: option('<type>', 'of one type of event, such as lead.created', parse.text),
      object: option('<id>', 'about one lead, client, unit or wallet', parse.text),
      since: option('<date>', 'created since then, ISO 8601', parse.time),
      until: option('<date>', 'created before then, ISO 8601', parse.time),
      limit,
    },
    check: (values) => {
      if (values.id ?? values.org) return;
      throw new WrongUsageError('Give the id of an endpoint or delivery, or --org.');
    },
  }),
  replay: declare({
    description:
      'send a delivery again or, with options, deliveries of an endpoint that failed or are in ' +
      'a time range',
    example: `${exampleId} --failed --since 2030-01-31`,
    parameters: {
      id: argument('<id>', 'id of a delivery; with options, of an endpoint', parse.objectId),
      failed: flag('failed deliveries of the endpoint'),
      since: option('<date>', 'deliveries created since then, ISO 8601', parse.time),
      until: option('<date>', 'deliveries created before then, ISO 8601', parse.time),
    },
  }),
  events: declare({
    description: 'list the events of an organization, newest first, or only faulty ones',
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
