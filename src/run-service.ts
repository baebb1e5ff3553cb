import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { AppOptions } from './app.module.js';
import {
  ConfigurationError,
  type Environment,
  readEnvironment,
} from './configuration/environment.js';
import { misspeltVariables } from './configuration/misspelt-variables.js';
import { openDatabase, describeConnectionError } from './database/connection/open-database.js';
import { type DemoOrganization, openAtStart } from './demo/demo-organization.js';
import { createLogger } from './http/server/logger.js';
import { basePath, createService, listen, type Service, startBackground } from './service.js';

const envFile = '.env';

export interface RunningService {
  /** Address that it listens on, without path; null for a worker, which listens nowhere. */
  readonly url: string | null;
  /** Prints what a newcomer needs to know; from then on a reader may end the service. */
  announce(): void;
  /** Finishes what is running and closes everything; false when that took too long. */
  shutDown(): Promise<boolean>;
}

/**
 * Reads the environment, `.env` included.
 *
 * @throws ConfigurationError
 */
export function loadEnvironment(): Environment {
  try {
    process.loadEnvFile(envFile);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      // A container engine makes a folder of a file that is to be mounted and is not there.
      const problem = statSync(envFile).isDirectory() ? 'is a folder, not a file' : message;
      throw new ConfigurationError([`${envFile}: ${problem}`]);
    }
  }
  return readEnvironment(process.env);
}

/** Logs what looks like a setting and is none; to be called once the log is there. */
export function warnOfMisspeltVariables(logger: Logger): void {
  for (const line of misspeltVariables(Object.keys(process.env))) logger.warn(line);
}

/**
 * Starts the service as the environment says.
 *
 * @throws ConfigurationError; Error with one clear line when the service cannot start
 */
export async function runService(environment = loadEnvironment()): Promise<RunningService> {
  const database = await openDatabase(environment);
  try {
    const logger = createLogger(environment);
    warnOfMisspeltVariables(logger);
    const options = { environment, databaseUri: database.uri, logger };
    const service = await createService(options);
    const url = await begin(service, options);
    // Only now: the key of a failed start would be stored without ever having been printed.
    const demo = environment.NODE_ENV === 'development' ? await openAtStart(service.app) : null;
    const lines: Line[] = [
      ...(url === null ? [['Delivering', 'webhooks'] satisfies Line] : addresses(url)),
      ['Data', database.description],
      ...(demo === null ? [] : [keyOf(demo)]),
    ];
    const shutDown = async () => {
      const isFinished = await service.shutDown();
      await database.stop();
      return isFinished;
    };
    return { url, announce: () => print(lines), shutDown };
  } catch (error) {
    await database.stop();
    throw await describeConnectionError(database, error);
  }
}

/** The address that it listens on; null for a worker, which only delivers. */
async function begin(service: Service, options: AppOptions): Promise<string | null> {
  if (options.environment.ROLE !== 'worker') return listen(service, options);
  startBackground(service);
  return null;
}

type Line = readonly [label: string, value: string];

function addresses(url: string): Line[] {
  return [
    ['Listening on', `${url}/${basePath}`],
    ['API reference', `${url}/docs`],
  ];
}

function keyOf({ organizationId, key }: DemoOrganization): Line {
  if (key !== null) return ['Demo API key', `${key}  (shown once)`];
  const id = organizationId.toHexString();
  return ['Lost the key?', `npm run cli -- key issue --org ${id} --name Demo`];
}

function print(lines: readonly Line[]): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  const text = lines.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
  process.stdout.write(`\n${text}\n`);
}
