import type { INestApplicationContext } from '@nestjs/common';
import type { Connection } from 'mongoose';
import type { AppOptions } from '../../../app.module.js';
import { sayingWhatItWaitsFor, whileDatabaseResponds } from './database-watch.js';

/**
 * Runs a command's work on the service's own parts, without an HTTP listener, and closes them and
 * the database whether it fails or not. It loads the service itself, and actions import what else they
 * need, so that help and wrong usage do not wait for the framework.
 *
 * @returns what the work returns
 * @throws ConfigurationError; Error with one clear line when the database cannot be used; whatever
 *   the work throws
 */
export async function withApplication<T>(
  work: (application: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const { loadEnvironment, warnOfMisspeltVariables } =
    await import('../../../core/configuration/load-environment.js');
  const { startTracing, stopTracing, traced } =
    await import('../../../core/observability/tracing.js');
  const { openDatabase, describeConnectionError } = await import('../../../open-database.js');
  const { createLogger } = await import('../../../core/http/server/logger.js');
  const { pino } = await import('pino');
  const environment = loadEnvironment();
  const database = await openDatabase(environment, { isLasting: false });
  try {
    // Standard output is the result's alone; a command is over too soon for a buffered log.
    const logger = createLogger(environment, pino.destination({ dest: 2, sync: true }));
    warnOfMisspeltVariables(logger);
    await startTracing(logger);
    const options = { environment, databaseUri: database.uri, logger, isCommand: true };
    const application = await openApplication(options);
    const watched = () =>
      whileDatabaseResponds(application, environment.DATABASE_DEADLINE_MS, () =>
        workOn(application, work),
      );
    try {
      return await traced(commandName(), {}, watched);
    } finally {
      await application.close();
    }
  } catch (error) {
    throw await describeConnectionError(database, error);
  } finally {
    await stopTracing();
    await database.stop();
  }
}

/** The group and the name of the command; what follows may be personal. */
function commandName(): string {
  const words = process.argv.slice(2, 4).filter((word) => /^[a-z-]+$/.test(word));
  return words.join(' ');
}

async function workOn<T>(
  application: INestApplicationContext,
  work: (application: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const { assertTransactionsSupported } =
    await import('../../../core/database/connection/topology.js');
  await assertTransactionsSupported(application);
  return work(application);
}

/** When it fails, what the framework has logged is dropped: the error itself is reported. */
async function openApplication(options: AppOptions): Promise<INestApplicationContext> {
  const { NestFactory } = await import('@nestjs/core');
  const { getConnectionToken } = await import('@nestjs/mongoose');
  const { AppModule } = await import('../../../app.module.js');
  const { FrameworkLogger } = await import('../../../core/http/server/logger.js');
  const { traceCommands } = await import('../../../core/observability/tracing.js');
  const opening = NestFactory.createApplicationContext(AppModule.forRoot(options), {
    abortOnError: false,
    bufferLogs: true,
    autoFlushLogs: false,
  });
  const application = await sayingWhatItWaitsFor(opening);
  application.useLogger(application.get(FrameworkLogger));
  application.flushLogs();
  traceCommands(application.get<Connection>(getConnectionToken()).getClient());
  return application;
}
