import { existsSync } from 'node:fs';
import type { AppOptions } from './app.module.js';
import { type Environment, readEnvironment } from './configuration/environment.js';
import { openDatabase, toldOfDatabase } from './database/connection/open-database.js';
import { openOnFirstStart } from './demo/demo-organization.js';
import { createLogger } from './http/server/logger.js';
import { basePath, createService, listen, type Service, startBackground } from './service.js';

/** A service that listens. */
export interface RunningService {
  /** Address that it listens on, without path; null for a worker, which listens nowhere. */
  readonly url: string | null;
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
    const url = await begin(service, options);
    // Only now: the key of a start that failed would be stored, and nobody would have seen it.
    const demo =
      environment.NODE_ENV === 'development' ? await openOnFirstStart(service.app) : null;
    print([
      ...(url === null ? [['Delivering', 'webhooks'] as const] : addresses(url)),
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

/** A worker delivers only; gives the address where there is one. */
async function begin(service: Service, options: AppOptions): Promise<string | null> {
  if (options.environment.ROLE !== 'worker') return listen(service, options);
  startBackground(service);
  return null;
}

function addresses(url: string) {
  return [
    ['Listening on', `${url}/${basePath}`],
    ['API reference', `${url}/docs`],
  ] as const;
}

function print(lines: readonly (readonly [string, string])[]): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  const text = lines.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
  process.stdout.write(`\n${text}\n`);
}
