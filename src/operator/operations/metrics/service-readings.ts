import type { ModuleRef } from '@nestjs/core';
import { ConnectionPool } from '../../../core/database/connection/connection-pool.js';
import { Transactions } from '../../../core/database/transactions/transactions.js';
import type { GroupedTransactionStats } from '../../../core/database/transactions/grouped-transactions.js';
import { EventWaiters } from '../../../events/feed/event-waiters.js';
import { CallCounter } from '../../usage/call-counter.js';
import { standardOutput } from '../../../core/http/server/standard-output.js';
import { LeadPhoneKeys } from '../../../leads/phones/lead-phone-keys.js';
import { LeadGroupsService } from '../../../leads/upsert/lead-groups.service.js';
import { CallbacksService } from '../../../reservations/callback/callbacks.service.js';
import { WebhookFiguresRecorder } from '../../../webhooks/statistics/webhook-figures-recorder.js';
import {
  type Backlog,
  WebhookStatisticsService,
} from '../../../webhooks/statistics/webhook-statistics.service.js';
import { memoryReadings } from './memory-readings.js';
import { Distribution, type Reading, type Sample } from './reading.js';

/** A group has at most 32 requests. */
const groupSizeBounds = [1, 2, 4, 8, 16, 32];

/** What the parts of the service know of themselves, as metrics. */
export function serviceReadings(modules: ModuleRef): Reading[] {
  const find = { strict: false } as const;
  const leads = modules.get(LeadGroupsService, find);
  const callbacks = modules.get(CallbacksService, find);
  const webhooks = modules.get(WebhookStatisticsService, find);
  return [
    droppedLinesReading,
    ...transactionReadings(modules.get(Transactions, find)),
    ...groupReadings('lead', () => leads.stats()),
    ...groupReadings('callback', () => callbacks.stats()),
    ...phoneKeyReadings(modules.get(LeadPhoneKeys, find)),
    ...figureReadings(modules.get(CallCounter, find), modules.get(WebhookFiguresRecorder, find)),
    ...poolReadings(modules.get(ConnectionPool, find)),
    ...webhookReadings(webhooks),
    ...feedReadings(webhooks, modules.get(EventWaiters, find)),
    ...memoryReadings(modules),
  ];
}

const droppedLinesReading: Reading = {
  name: 'log_lines_dropped_total',
  help: 'Lines of the log that nobody has read from standard output in time.',
  type: 'counter',
  read: () => only(standardOutput.droppedLines),
};

function transactionReadings(transactions: Transactions): Reading[] {
  const counter = (
    name: string,
    count: keyof ReturnType<Transactions['stats']>,
    help: string,
  ): Reading => ({
    name,
    help,
    type: 'counter',
    read: () => only(transactions.stats()[count]),
  });
  return [
    counter('transactions_total', 'started', 'Transactions that were begun.'),
    counter(
      'transaction_attempts_total',
      'attempts',
      'How often the work of transactions ran; each is run again after a conflict.',
    ),
    counter(
      'transaction_conflicts_total',
      'conflicts',
      'Attempts that met another transaction on the same document.',
    ),
    counter(
      'transaction_lost_races_total',
      'lostRaces',
      'Attempts that lost a race for a unique index.',
    ),
    counter(
      'transactions_expired_total',
      'expired',
      'Transactions that were not stored within DATABASE_DEADLINE_MS.',
    ),
  ];
}

function groupReadings(kind: 'lead' | 'callback', stats: () => GroupedTransactionStats): Reading[] {
  return [
    {
      name: `${kind}_group_size`,
      help: `Requests about ${kind}s that one transaction has stored.`,
      type: 'histogram',
      read: () => {
        const distribution = new Distribution(groupSizeBounds);
        for (const [size, count = 0] of stats().sizes.entries()) distribution.observe(size, count);
        return [{ distribution }];
      },
    },
    {
      name: `${kind}_requests_waiting`,
      help: `Requests about ${kind}s that wait for the group before theirs.`,
      type: 'gauge',
      read: () => only(stats().waiting),
    },
    {
      name: `${kind}_groups_held_up_total`,
      help: `Groups about ${kind}s that another transaction has held up, so that their requests went alone.`,
      type: 'counter',
      read: () => only(stats().heldUp),
    },
  ];
}

function phoneKeyReadings(phoneKeys: LeadPhoneKeys): Reading[] {
  return [
    {
      name: 'phone_key_leads_total',
      help: 'Leads of other programs whose phones this process has made comparable.',
      type: 'counter',
      read: () => only(phoneKeys.stats().leads),
    },
    {
      name: 'phone_key_failures_total',
      help: 'Leads of other programs whose phones could not be made comparable.',
      type: 'counter',
      read: () => only(phoneKeys.stats().failures),
    },
  ];
}

function figureReadings(counter: CallCounter, recorder: WebhookFiguresRecorder): Reading[] {
  return [
    {
      name: 'call_figures_waiting_minutes',
      help: 'Minutes of counted calls that are not stored or not over; 30 at most.',
      type: 'gauge',
      read: () => only(counter.stats().waitingMinutes),
    },
    {
      name: 'call_figures_lost_minutes_total',
      help: 'Minutes of counted calls that a database out of reach has left no room for.',
      type: 'counter',
      read: () => only(counter.stats().lostMinutes),
    },
    {
      name: 'webhook_figures_waiting',
      help: 'Counted figures of endpoints, by quarter of an hour, that are not stored; 2,000 at most.',
      type: 'gauge',
      read: () => only(recorder.stats().waiting),
    },
    {
      name: 'webhook_figures_lost_attempts_total',
      help: 'Attempts that the figures of endpoints lack: not stored, or no room to count them.',
      type: 'counter',
      read: () => only(recorder.stats().lostAttempts),
    },
  ];
}

function poolReadings(pool: ConnectionPool): Reading[] {
  return [
    {
      name: 'database_connections',
      help: 'Open connections to the database, by whether an operation uses them.',
      type: 'gauge',
      read: () => {
        const { open, inUse } = pool.stats();
        return [
          { labels: { state: 'in use' }, value: inUse },
          { labels: { state: 'idle' }, value: open - inUse },
        ];
      },
    },
    {
      name: 'database_connection_waiting',
      help: 'Operations that wait for a connection to the database.',
      type: 'gauge',
      read: () => only(pool.stats().waiting),
    },
    {
      name: 'database_connection_wait_seconds_total',
      help: 'How long operations have waited for a connection to the database.',
      type: 'counter',
      read: () => only(pool.stats().waitedMs / 1_000),
    },
  ];
}

function webhookReadings(webhooks: WebhookStatisticsService): Reading[] {
  return [
    ...backlogReadings(webhooks),
    {
      name: 'delivery_attempts_total',
      help: 'Attempts of this process to deliver a webhook, by endpoint and result.',
      type: 'counter',
      read: () =>
        webhooks.attemptsByEndpoint().flatMap(({ endpointId: endpoint, delivered, failed }) => [
          { labels: { endpoint, result: 'delivered' }, value: delivered },
          { labels: { endpoint, result: 'failed' }, value: failed },
        ]),
    },
    {
      name: 'delivery_results_unstored',
      help: 'Successful attempts of this process whose results are not stored yet; 256 at most.',
      type: 'gauge',
      read: () => only(webhooks.unstoredResults()),
    },
  ];
}

function feedReadings(webhooks: WebhookStatisticsService, waiters: EventWaiters): Reading[] {
  return [
    {
      name: 'events_numbered_total',
      help: 'Events that this process has given their numbers.',
      type: 'counter',
      read: () => only(webhooks.numberedEvents()),
    },
    {
      name: 'event_requests_waiting',
      help: 'Requests that wait for events in this process; 5,000 at most.',
      type: 'gauge',
      read: () => only(waiters.stats().waiting),
    },
    {
      name: 'event_waits_cut_short_total',
      help: 'Requests whose wait for events ended early because too many were waiting.',
      type: 'counter',
      read: () => only(waiters.stats().cutShort),
    },
  ];
}

/** The same in every process: they are about the database. */
function backlogReadings(webhooks: WebhookStatisticsService): Reading[] {
  const events = () => webhooks.eventBacklog();
  const deliveries = () => webhooks.deliveryBacklog();
  return [
    backlogReading(
      'outbox_lag_seconds',
      'How long the oldest event waits for its deliveries and its number.',
      async () => seconds(await events()),
    ),
    backlogReading(
      'outbox_waiting_events',
      'Events without a number, up to 10,000.',
      async () => (await events()).count,
    ),
    backlogReading(
      'delivery_lag_seconds',
      'How long the delivery that is due longest waits for its attempt.',
      async () => seconds(await deliveries()),
    ),
    backlogReading(
      'deliveries_due',
      'Deliveries that are due, up to 10,000.',
      async () => (await deliveries()).count,
    ),
  ];
}

function backlogReading(name: string, help: string, value: () => Promise<number>): Reading {
  return { name, help, type: 'gauge', read: async () => only(await value()) };
}

function seconds({ lagMs }: Backlog): number {
  return lagMs / 1_000;
}

function only(value: number): Sample[] {
  return [{ value }];
}
