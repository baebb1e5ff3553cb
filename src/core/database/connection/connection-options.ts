import type { MongooseModuleFactoryOptions } from '@nestjs/mongoose';
import type { Environment } from '../../configuration/environment.js';
import { isTracing } from '../../observability/tracing.js';

/** How the service's connections are marked in the server's logs and reports. */
export const appName = 'integration-api';

/**
 * How the service connects: one attempt at start-up, nothing buffered while disconnected, and no
 * operation that hangs longer than a request may wait. A command of the operator has no such
 * limit: the server would go on with what the command has given up, and do it again when the
 * command is repeated (rule OPS-9).
 */
export function connectionOptions(
  environment: Environment,
  isCommand: boolean,
): MongooseModuleFactoryOptions {
  const deadlineMs = environment.DATABASE_DEADLINE_MS;
  return {
    appName,
    // Whatever the connection string says: a secondary may not know yet who is subscribed to an event,
    // which would then be sent to nobody (rules DATA-6 and HOOK-4).
    readPreference: 'primary',
    retryAttempts: 1,
    retryDelay: 0,
    bufferCommands: false,
    // Indexes are made by `db init`: building one waits for open transactions.
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: deadlineMs,
    connectTimeoutMS: Math.min(deadlineMs, 5_000),
    // A stopped (not killed) primary never responds and never closes its connections. For a command
    // the driver's own heartbeat notices it, within half a minute.
    socketTimeoutMS: isCommand ? 0 : deadlineMs,
    waitQueueTimeoutMS: deadlineMs,
    maxPoolSize: 50,
    // A text that another program has cut within a character is shown with a replacement instead of failing
    // whatever reads its document.
    enableUtf8Validation: false,
    // Left out where nothing is traced: a connection string may ask for it too.
    ...(isTracing() ? { monitorCommands: true } : {}),
  };
}
