import { existsSync } from 'node:fs';
import { type Environment, readEnvironment } from './configuration/environment.js';
import { openDatabase, toldOfDatabase } from './database/open-database.js';
import { DemoData } from './demo/demo-data.js';
import { createLogger } from './http/logger.js';
import { basePath, createService, listen } from './service.js';

/** A service that listens. */
export interface RunningService {
  /** Address that it listens on, without path. */
  readonly url: string;
  /** Finishes what is running and closes everything; false when that took too long. */
  leave(): Promise<boolean>;
}

/** Reads the environment, `.env` included. */
export function loadEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readEnvironment(process.env);
}

/**
 * Starts the service as the environment says and prints what a newcomer needs to know.
 *
 * @throws ConfigurationError; Error with one clear line when the service cannot start
 */
export async function runService(environment = loadEnvironment()): Promise<RunningService> {
  const database = await openDatabase(environment);
  try {
    const logger = createLogger(environment);
    const options = { environment, databaseUri: database.uri, logger };
    const service = await createService(options);
    const url = await listen(service, options);
    // Only now: the key of a start that failed would be stored, and nobody would have seen it.
    const demo =
      environment.NODE_ENV === 'development'
        ? await service.app.get(DemoData).createOnFirstStart()
        : null;
    print([
      ['Listening on', `${url}/${basePath}`],
      ['API reference', `${url}/docs`],
      ['Data', database.description],
      ...(demo === null ? [] : [['Demo API key', `${demo.key}  (shown once)`] as const]),
    ]);
    const leave = async () => {
      const isFinished = await service.leave();
      await database.stop();
      return isFinished;
    };
    return { url, leave };
  } catch (error) {
    await database.stop();
    throw toldOfDatabase(database, error);
  }
}

function print(lines: readonly (readonly [string, string])[]): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  const text = lines.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
  process.stdout.write(`\n${text}\n`);
}
