import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { AppOptions } from './app.module.js';
import { ConfigurationError } from './configuration/startup-errors.js';
import { type Environment, readEnvironment } from './configuration/environment.js';
import { misspeltVariables } from './configuration/misspelt-variables.js';
import { openDatabase, describeConnectionError } from './database/connection/open-database.js';
import { type DemoOrganization, openAtStart } from './demo/demo-organization.js';
import { createLogger } from './http/server/logger.js';
import { startTracing } from './operations/tracing/start-tracing.js';
import { tracing } from './operations/tracing/traced.js';
import {
  basePath,
  createService,
  listen,
  type Service,
  startBackground,
  startOperations,
} from './service.js';

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

/** Traces what follows, where the standard variables name a collector (rule OPS-13). */
export async function traceWhereConfigured(logger: Logger): Promise<void> {
  await startTracing(process.env, logger);
}

/**
 * Starts the service as the environment says.
 *
 * @throws ConfigurationError; StartupError when the service cannot start for a known reason
 */
export async function runService(
  environment = loadEnvironment(),
  logger = createLogger(environment),
): Promise<RunningService> {
  const database = await openDatabase(environment);
  try {
    warnOfMisspeltVariables(logger);
    await traceWhereConfigured(logger);
    const options = { environment, databaseUri: database.uri, logger };
    const service = await createService(options);
    const operationsUrl = await startOperations(service);
    const url = await begin(service, options);
    // Only now: the key of a failed start would be stored without ever having been printed.
    const demo = environment.NODE_ENV === 'development' ? await openAtStart(service.app) : null;
    const lines: Line[] = [
      ...(url === null ? [['Delivering', 'webhooks'] satisfies Line] : addresses(url)),
      ...(operationsUrl === null ? [] : [['Metrics and probes', operationsUrl] satisfies Line]),
      ...consoleOf(operationsUrl, environment),
      ['Data', database.description],
      ...(demo === null ? [] : [keyOf(demo)]),
    ];
    const shutDown = async () => {
      const isFinished = await service.shutDown();
      await tracing()?.stop();
      await database.stop();
      return isFinished;
    };
    return { url, announce: () => announce(lines, environment, logger), shutDown };
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

/** Where the operator's console is, or how it is turned on; programs are told only the first. */
export function consoleOf(
  url: string | null,
  { OPS_PASSWORD, NODE_ENV }: { readonly OPS_PASSWORD?: unknown; readonly NODE_ENV: string },
): Line[] {
  if (url !== null && OPS_PASSWORD !== undefined) return [['Console', `${url}/console`]];
  if (NODE_ENV === 'production') return [];
  const missing = [
    ...(url === null ? ['OPS_PORT'] : []),
    ...(OPS_PASSWORD === undefined ? ['OPS_PASSWORD by npm run cli -- console password'] : []),
  ];
  return [['Console', `off: set ${missing.join(', and ')}`]];
}

function keyOf({ organizationId, key }: DemoOrganization): Line {
  if (key !== null) return ['Demo API key', `${key}  (shown once)`];
  const id = organizationId.toHexString();
  return ['Lost the key?', `npm run cli -- key issue --org ${id} --name Demo`];
}

/** Standard output is for people, but in production, where programs read it (rule OPS-12). */
function announce(lines: readonly Line[], { NODE_ENV }: Environment, logger: Logger): void {
  if (NODE_ENV !== 'production') return print(lines);
  for (const [label, value] of lines) logger.info(`${label} ${value}`);
}

function print(lines: readonly Line[]): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  const text = lines.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
  process.stdout.write(`\n${text}\n`);
}
