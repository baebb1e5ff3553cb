import type { ModuleRef } from '@nestjs/core';
import { ConnectionPool } from '../../database/connection/connection-pool.js';
import { Transactions } from '../../database/transactions/transactions.js';
import { LeadGroupsService } from '../../leads/upsert/lead-groups.service.js';
import {
  type Backlog,
  WebhookStatisticsService,
} from '../../webhooks/webhook-statistics.service.js';
import { Distribution, type Reading, type Sample } from './reading.js';

/** A group has at most 32 requests. */
const groupSizeBounds = [1, 2, 4, 8, 16, 32];

/** What the parts of the service know of themselves, as metrics. */
export function serviceReadings(modules: ModuleRef): Reading[] {
  const find = { strict: false } as const;
  return [
    ...transactionReadings(modules.get(Transactions, find)),
    ...leadReadings(modules.get(LeadGroupsService, find)),
    ...poolReadings(modules.get(ConnectionPool, find)),
    ...webhookReadings(modules.get(WebhookStatisticsService, find)),
  ];
}

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

function leadReadings(groups: LeadGroupsService): Reading[] {
  return [
    {
      name: 'lead_group_size',
      help: 'Requests that one transaction has stored leads of.',
      type: 'histogram',
      read: () => {
        const distribution = new Distribution(groupSizeBounds);
        for (const [size, count = 0] of groups.stats().sizes.entries()) {
          distribution.observe(size, count);
        }
        return [{ distribution }];
      },
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
      name: 'change_stream_age_seconds',
      help: 'How long ago the database has last said how far a change stream has come.',
      type: 'gauge',
      read: () => {
        const silentMs = webhooks.streamSilentMs();
        return silentMs === undefined
          ? []
          : [{ labels: { stream: 'outbox' }, value: silentMs / 1_000 }];
      },
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
      'How long the oldest event waits for its deliveries.',
      async () => seconds(await events()),
    ),
    backlogReading(
      'outbox_waiting_events',
      'Events without deliveries, up to 10,000.',
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
