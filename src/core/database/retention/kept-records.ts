import type { IndexDescription } from 'mongodb';
import type { Environment } from '../../configuration/environment.js';

/** A kind of record that is removed some time after it is done with (rule DATA-11). */
export interface KeptRecords {
  readonly kind: string;
  readonly collection: string;
  /** The variable that says how long. */
  readonly variable: keyof Environment;
  /** Null: for ever. */
  readonly keptSeconds: number | null;
  /** The index by which the database removes them, but for the time after which it does. */
  readonly index: Pick<IndexDescription, 'key' | 'partialFilterExpression'> & {
    readonly name: string;
  };
  /** How long after the time in the index they are removed. */
  readonly removedAfterSeconds: number | null;
}

const hour = 3_600;
const day = 24 * hour;

/**
 * The feed shows no event that is older than events are kept, and the database removes it an hour later:
 * what is removed first is nobody's concern then.
 */
const eventMargin = hour;

/**
 * Everything that is not kept for ever: the one place that says what, how long and from when on. What is
 * not done with, an event without a number or a delivery that waits, has no such time and stays.
 */
export function keptRecords(environment: Environment): KeptRecords[] {
  return [
    ...ofWebhooks(environment),
    ofWebhookFigures(environment),
    ...ofRequests(environment),
    ...ofOperator(environment),
  ];
}

function ofWebhooks({
  EVENTS_RETENTION_DAYS: events,
  DELIVERIES_RETENTION_DAYS: deliveries,
  ATTEMPTS_RETENTION_DAYS: attempts,
}: Environment): KeptRecords[] {
  return [
    {
      kind: 'events',
      collection: 'outboxEvents',
      variable: 'EVENTS_RETENTION_DAYS',
      keptSeconds: events * day,
      index: {
        name: 'numberedExpiry',
        key: { numberedAt: 1 },
        partialFilterExpression: { sequence: { $gt: 0 } },
      },
      removedAfterSeconds: events * day + eventMargin,
    },
    {
      kind: 'finished deliveries',
      collection: 'webhookDeliveries',
      variable: 'DELIVERIES_RETENTION_DAYS',
      keptSeconds: deliveries * day,
      index: {
        name: 'finishedExpiry',
        key: { completedAt: 1 },
        partialFilterExpression: { completedAt: { $type: 'date' } },
      },
      removedAfterSeconds: deliveries * day,
    },
    {
      // They can be looked up as long as what was sent to them.
      kind: 'removed endpoints',
      collection: 'webhookEndpoints',
      variable: 'DELIVERIES_RETENTION_DAYS',
      keptSeconds: deliveries * day,
      index: { name: 'expiry', key: { removedAt: 1 } },
      removedAfterSeconds: deliveries * day,
    },
    {
      kind: 'attempts',
      collection: 'webhookAttempts',
      variable: 'ATTEMPTS_RETENTION_DAYS',
      keptSeconds: attempts * day,
      index: { name: 'expiry', key: { startedAt: 1 } },
      removedAfterSeconds: attempts * day,
    },
  ];
}

/** They tell of attempts, and are as many as there are endpoints and quarters of an hour. */
function ofWebhookFigures({ ATTEMPTS_RETENTION_DAYS: attempts }: Environment): KeptRecords {
  return {
    kind: 'webhook figures',
    collection: 'webhookFigures',
    variable: 'ATTEMPTS_RETENTION_DAYS',
    keptSeconds: attempts * day,
    index: { name: 'expiry', key: { at: 1 } },
    removedAfterSeconds: attempts * day,
  };
}

function ofRequests({
  CALLBACKS_RETENTION_DAYS: callbacks,
  IDEMPOTENCY_RETENTION_HOURS: idempotency,
  CHANGE_LOG_RETENTION_DAYS: changeLog,
  FIGURES_RETENTION_DAYS: figures,
}: Environment): KeptRecords[] {
  const changesKept = changeLog === undefined ? null : changeLog * day;
  return [
    {
      kind: 'callbacks',
      collection: 'reservationCallbacks',
      variable: 'CALLBACKS_RETENTION_DAYS',
      keptSeconds: callbacks * day,
      index: { name: 'expiry', key: { createdAt: 1 } },
      removedAfterSeconds: callbacks * day,
    },
    {
      // Each has the time at which it goes: a key may be used anew from then on.
      kind: 'idempotency records',
      collection: 'idempotencyRecords',
      variable: 'IDEMPOTENCY_RETENTION_HOURS',
      keptSeconds: idempotency * hour,
      index: { name: 'expiry', key: { expiresAt: 1 } },
      removedAfterSeconds: 0,
    },
    {
      // Each has the time at which it goes: those of minutes go sooner than those of hours.
      kind: 'figures of calls',
      collection: 'callFigures',
      variable: 'FIGURES_RETENTION_DAYS',
      keptSeconds: figures * day,
      index: { name: 'expiry', key: { expiresAt: 1 } },
      removedAfterSeconds: 0,
    },
    {
      kind: 'change log',
      collection: 'changeLogs',
      variable: 'CHANGE_LOG_RETENTION_DAYS',
      keptSeconds: changesKept,
      index: { name: 'expiry', key: { createdAt: 1 } },
      removedAfterSeconds: changesKept,
    },
  ];
}

function ofOperator({ OPERATOR_LOG_RETENTION_DAYS: log }: Environment): KeptRecords[] {
  return [
    {
      // The index serves the list of it, too.
      kind: 'operator log',
      collection: 'operatorLog',
      variable: 'OPERATOR_LOG_RETENTION_DAYS',
      keptSeconds: log * day,
      index: { name: 'expiry', key: { createdAt: 1 } },
      removedAfterSeconds: log * day,
    },
  ];
}
