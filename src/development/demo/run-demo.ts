import type { AppOptions } from '../../app.module.js';
import type { Environment } from '../../core/configuration/environment.js';
import { type OpenDatabase, openDatabase } from '../open-database.js';
import { createLogger } from '../../core/http/server/logger.js';
import { basePath } from '../../core/http/base-path.js';
import { createService, type Service } from '../../start.js';
import { DemoClient, type Print } from './client/demo-client.js';
import { chooseTarget, type DemoTarget } from './client/demo-target.js';
import { type DemoAccess, openForWalk } from './demo-organization.js';
import { hasConsole, storyInConsole } from './story-in-console.js';
import { accessChapters } from './walkthrough/access-chapters.js';
import { demoErasures } from './walkthrough/demo-erasures.js';
import type { Chapter, DemoRun } from './walkthrough/demo-run.js';
import { eventChapters } from './walkthrough/event-chapters.js';
import { leadChapters } from './walkthrough/lead-chapters.js';
import { pollingChapters } from './walkthrough/polling-chapters.js';
import { reservationChapters } from './walkthrough/reservation-chapters.js';
import { webhookChapters } from './walkthrough/webhook-chapters.js';
import { demoSubscriptions } from './walkthrough/webhook-subscriptions.js';

/** All chapters in their order; later ones build on earlier ones. */
export const chapters: readonly Chapter[] = [
  ...accessChapters,
  ...leadChapters,
  ...pollingChapters,
  ...reservationChapters,
  ...webhookChapters,
  ...eventChapters,
];

const visibleKeyCharacters = 11;

/**
 * Walks through the API as a partner would, on the environment's database and with an organization
 * of its own that is deleted at the end, unless it can be looked at in the console: over a service that runs
 * already, or one of its own.
 *
 * @param print takes the text line by line, which never has the whole key
 * @throws Error with one line when the database cannot be used or a response is not the expected one
 */
export async function runDemo(environment: Environment, print: Print): Promise<void> {
  if (environment.NODE_ENV === 'production') {
    throw new Error('The demo adds an organization of its own and does not run in production.');
  }
  const database = await openDatabase(environment, { isLasting: false });
  try {
    const options = demoOptions(environment, database);
    const service = await createService(options);
    try {
      await runWithTemporaryKey({ environment, database, options, service, print });
    } finally {
      await service.app.close();
    }
  } finally {
    await database.stop();
  }
}

interface DemoContext {
  readonly environment: Environment;
  readonly database: OpenDatabase;
  readonly options: AppOptions;
  readonly service: Service;
  readonly print: Print;
}

function demoOptions(environment: Environment, database: OpenDatabase): AppOptions {
  const { LOG_LEVEL: level } = environment;
  const isQuiet = level === 'silent' || level === 'fatal' || level === 'error';
  // Its worker also sends what others have waiting in the database: of that, what is configured decides.
  const isOwnDatabase = environment.MONGODB_URI === undefined;
  const own: Environment = {
    ...environment,
    PORT: 0,
    HOST: '127.0.0.1',
    LOG_LEVEL: isQuiet ? level : 'warn',
    ROLE: 'all',
    // The receiver of the demo is on this machine.
    ...(isOwnDatabase && { WEBHOOKS_ALLOW_HTTP: true, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: true }),
    // The demo organization has no domain of its own.
    ENFORCE_API_DOMAIN: false,
  };
  return { environment: own, databaseUri: database.uri, logger: createLogger(own, process.stderr) };
}

async function runWithTemporaryKey(context: DemoContext): Promise<void> {
  const { environment, options, service, print } = context;
  const access = await openForWalk(service.app);
  let isToBeSeen = false;
  try {
    const target = await chooseTarget(environment, { service, options }, access.key);
    introduce(context, target, access);
    const client = new DemoClient({ url: target.url, key: access.key }, print);
    const subscribe = demoSubscriptions(service.app, access.organizationId);
    const forget = demoErasures(service.app, access.organizationId);
    await runChapters({ client, print, subscribe, forget });
    isToBeSeen = hasConsole(environment);
    print('');
    if (isToBeSeen) {
      const story = await storyInConsole(service.app, environment, access.organizationId);
      for (const line of [...story, '']) print(line);
    }
    const { requestCount } = client;
    print(`All ${chapters.length} chapters went as expected, in ${requestCount} requests.`);
  } finally {
    await access.end(isToBeSeen);
  }
}

function introduce(
  { database, print }: DemoContext,
  target: DemoTarget,
  { key }: DemoAccess,
): void {
  const whose = target.isRunningAlready ? 'running already' : 'started for the demo';
  print('A walk through the Integration API');
  print('');
  print(`  Service  ${target.url}/${basePath} (${whose})`);
  print(`  Data     ${database.description}`);
  print(`  API key  ${key.slice(0, visibleKeyCharacters)}... (temporary, revoked at the end)`);
}

async function runChapters(run: DemoRun): Promise<void> {
  for (const [index, { title, execute }] of chapters.entries()) {
    const heading = `${index + 1}. ${title}`;
    for (const line of ['', heading, '-'.repeat(heading.length)]) run.print(line);
    try {
      await execute(run);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`Demo chapter ${index + 1} (${title}): ${message}`, { cause: error });
    }
  }
}
