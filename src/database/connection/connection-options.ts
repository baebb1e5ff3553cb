import type { MongooseModuleFactoryOptions } from '@nestjs/mongoose';
import type { Environment } from '../../configuration/environment.js';

/** How the service's connections are marked in the server's logs and reports. */
export const appName = 'integration-api';

/**
 * How the service connects: one attempt at start-up, nothing buffered while disconnected, and no
 * operation that hangs longer than a request may wait.
 */
export function connectionOptions(environment: Environment): MongooseModuleFactoryOptions {
  const deadlineMs = environment.DATABASE_DEADLINE_MS;
  return {
    appName,
    retryAttempts: 1,
    retryDelay: 0,
    bufferCommands: false,
    // Indexes are made by `db init`: building one waits for open transactions.
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: deadlineMs,
    connectTimeoutMS: Math.min(deadlineMs, 5_000),
    // A stopped (not killed) primary never responds and never closes its connections.
    socketTimeoutMS: deadlineMs,
    waitQueueTimeoutMS: deadlineMs,
    maxPoolSize: 50,
  };
}
