import type { AppOptions } from '../app.module.js';
import type { Environment } from '../configuration/environment.js';
import { type OpenDatabase, openDatabase } from '../database/connection/open-database.js';
import { createLogger } from '../http/server/logger.js';
import { basePath, createService, type Service } from '../service.js';
import { accessStory } from './access-story.js';
import { type DemoAccess, DemoData } from './demo-data.js';
import { DemoClient, type Print } from './demo-client.js';
import { type Chapter, type DemoRun, startRun } from './demo-run.js';
import { chooseTarget, type DemoTarget } from './demo-target.js';
import { demoSubscriptions } from './demo-subscriptions.js';
import { leadStory } from './lead-story.js';
import { pollingStory } from './polling-story.js';
import { reservationStory } from './reservation-story.js';
import { webhookStory } from './webhook-story.js';

/** All chapters in the order in which they are told; later ones build on earlier ones. */
export const chapters: readonly Chapter[] = [
  ...accessStory,
  ...leadStory,
  ...pollingStory,
  ...reservationStory,
  ...webhookStory,
];

const shownOfKey = 11;

/**
 * Walks through the API as a partner would, on the environment's database and with a temporary key:
 * over a service that runs already, or one of its own.
 *
 * @param print takes the story line by line; it never holds the key
 * @throws Error with one line when the database cannot be used or an answer is not the expected one
 */
export async function runDemo(environment: Environment, print: Print): Promise<void> {
  if (environment.NODE_ENV === 'production') {
    throw new Error('The demo adds an organization of its own and does not run in production.');
  }
  const database = await openDatabase(environment);
  try {
    const options = demoOptions(environment, database);
    const service = await createService(options);
    try {
      const requests = await tellWithKey({ environment, database, options, service, print });
      print('');
      print(`All ${chapters.length} chapters went as expected, in ${requests} requests.`);
    } finally {
      await service.app.close();
    }
  } finally {
    await database.stop();
  }
}

/** What the telling works with. */
interface Stage {
  readonly environment: Environment;
  readonly database: OpenDatabase;
  readonly options: AppOptions;
  readonly service: Service;
  readonly print: Print;
}

function demoOptions(environment: Environment, database: OpenDatabase): AppOptions {
  const { LOG_LEVEL: level } = environment;
  const isQuiet = level === 'silent' || level === 'fatal' || level === 'error';
  const own: Environment = {
    ...environment,
    PORT: 0,
    HOST: '127.0.0.1',
    LOG_LEVEL: isQuiet ? level : 'warn',
    ROLE: 'all',
    // The receiver of the demo is on this machine.
    WEBHOOKS_ALLOW_HTTP: true,
    WEBHOOKS_ALLOW_PRIVATE_NETWORKS: true,
    // The demo organization has no domain of its own.
    ENFORCE_API_DOMAIN: false,
  };
  return { environment: own, databaseUri: database.uri, logger: createLogger(own, process.stderr) };
}

async function tellWithKey(stage: Stage): Promise<number> {
  const { environment, options, service, print } = stage;
  const access = await service.app.get(DemoData).open();
  try {
    const target = await chooseTarget(environment, { service, options }, access.key);
    introduce(stage, target, access);
    const client = new DemoClient({ url: target.url, key: access.key }, print);
    const subscribe = demoSubscriptions(service.app, access.organizationId);
    await tellAll(startRun({ client, print, subscribe }, Date.now()));
    return client.requestCount;
  } finally {
    await access.revoke();
  }
}

function introduce({ database, print }: Stage, target: DemoTarget, { key }: DemoAccess): void {
  const whose = target.isRunningAlready ? 'running already' : 'started for the demo';
  print('A walk through the Integration API');
  print('');
  print(`  Service  ${target.url}/${basePath} (${whose})`);
  print(`  Data     ${database.description}`);
  print(`  API key  ${key.slice(0, shownOfKey)}... (temporary, revoked at the end)`);
}

async function tellAll(run: DemoRun): Promise<void> {
  for (const [index, { title, tell }] of chapters.entries()) {
    const heading = `${index + 1}. ${title}`;
    for (const line of ['', heading, '-'.repeat(heading.length)]) run.print(line);
    try {
      await tell(run);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`Demo chapter ${index + 1} (${title}): ${message}`, { cause: error });
    }
  }
}
