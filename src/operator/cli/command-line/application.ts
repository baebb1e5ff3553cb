import { NestFactory } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { Logger } from 'nestjs-pino';
import { pino } from 'pino';
import { AppModule } from '../../../app.module.js';
import {
  loadEnvironment,
  warnAboutMisspellings,
} from '../../../core/configuration/load-environment.js';
import { createLogger } from '../../../core/http/server/logger.js';
import {
  activeTracing,
  startTracing,
  stopTracing,
  traced,
} from '../../../core/observability/tracing.js';
import {
  assertTransactionsSupported,
  describeConnectionError,
  openDatabase,
} from '../../../open-database.js';
import { CommandContext } from './context.js';
import { withWaitNotice, withDatabaseWatchdog } from './database-watchdog.js';

/** Runs without an HTTP listener, then closes the service and an embedded database. */
export async function withApplication(
  isJson: boolean,
  work: (context: CommandContext) => Promise<void>,
): Promise<void> {
  const environment = loadEnvironment();
  const database = await openDatabase(environment, { isLasting: false });
  try {
    // Standard output is for results only. A buffered log could be lost when the command exits.
    const logger = createLogger(environment, pino.destination({ dest: 2, sync: true }));
    warnAboutMisspellings(logger);
    await startTracing(logger);
    const options = { environment, databaseUri: database.uri, logger, isCommand: true };
    // The command's error reports a failure; Nest would also log each class.
    const quiet = { abortOnError: false, logger: false } as const;
    const application = await withWaitNotice(
      NestFactory.createApplicationContext(AppModule.forRoot(options), quiet),
    );
    application.useLogger(application.get(Logger));
    const connection = application.get<Connection>(getConnectionToken());
    activeTracing()?.traceCommands(connection.getClient());
    const checked = async () => {
      await assertTransactionsSupported(connection);
      await work(new CommandContext(application, isJson));
    };
    try {
      await traced(commandName(), {}, () =>
        withDatabaseWatchdog(connection, environment.DATABASE_DEADLINE_MS, checked),
      );
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

/** Returns group and name of the command; other arguments may be personal. */
function commandName(): string {
  const words = process.argv.slice(2, 4).filter((word) => /^[a-z-]+$/.test(word));
  return words.join(' ');
}
