import type { MongooseModuleFactoryOptions } from '@nestjs/mongoose';
import type { Environment } from '../../configuration/environment.js';
import { isTracing } from '../../observability/tracing.js';

export const appName = 'integration-api';

/** The server would continue an abandoned operation, and a repeated command start it twice (rule OPS-9). */
export function connectionOptions(
  environment: Environment,
  isCommand: boolean,
): MongooseModuleFactoryOptions {
  const deadlineMs = environment.DATABASE_DEADLINE_MS;
  return {
    appName,
    // Secondaries are late: events of new subscriptions would be lost (rules DATA-6 and HOOK-4).
    readPreference: 'primary',
    retryAttempts: 1,
    retryDelay: 0,
    bufferCommands: false,
    // An index build waits for open transactions: only `db init` builds.
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: deadlineMs,
    connectTimeoutMS: Math.min(deadlineMs, 5_000),
    // A stopped primary never responds; for commands the driver's heartbeat notices it within half a minute.
    socketTimeoutMS: isCommand ? 0 : deadlineMs,
    waitQueueTimeoutMS: deadlineMs,
    maxPoolSize: 50,
    // A text that another program has cut within a character must not fail the reads of its document.
    enableUtf8Validation: false,
    // Not `false`: the connection string may request it.
    ...(isTracing() ? { monitorCommands: true } : {}),
  };
}
