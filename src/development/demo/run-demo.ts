import type { Types } from 'mongoose';
import type { AppOptions } from '../../app.module.js';
import type { Environment } from '../../core/configuration/environment.js';
import { basePath } from '../../core/http/base-path.js';
import { createLogger } from '../../core/http/server/logger.js';
import { ReservationsRepository } from '../../reservations/reservations.repository.js';
import { createService, listen, type Service } from '../../start.js';
import { openDatabase } from '../../open-database.js';
import { type DemoAddress, DemoClient, exchange, type Print } from './client/demo-client.js';
import { objectOf } from '../../core/values/plain-object.js';
import { openForWalk } from './demo-organization.js';
import type { Chapter, DemoRun } from './walkthrough/chapter.js';
import { eventChapters, pollingChapters } from './walkthrough/event-chapters.js';
import { leadChapters } from './walkthrough/lead-chapters.js';
import { deal, reservationChapters } from './walkthrough/reservation-chapters.js';

/** All chapters in their order; later ones build on earlier ones. */
export const chapters: readonly Chapter[] = [
  ...leadChapters,
  ...pollingChapters,
  ...reservationChapters,
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
    const options = demoOptions(environment, database.uri);
    const service = await createService(options);
    try {
      await walk({ environment, options, service, data: database.description, print });
    } finally {
      await service.app.close();
    }
  } finally {
    await database.stop();
  }
}

function demoOptions(environment: Environment, databaseUri: string): AppOptions {
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
  return { environment: own, databaseUri, logger: createLogger(own, process.stderr) };
}

interface DemoContext {
  readonly environment: Environment;
  readonly options: AppOptions;
  readonly service: Service;
  /** Where the data is. */
  readonly data: string;
  readonly print: Print;
}

async function walk({ environment, options, service, data, print }: DemoContext): Promise<void> {
  const { key, organizationId, end } = await openForWalk(service.app);
  let isToBeSeen = false;
  try {
    const running = { url: `http://127.0.0.1:${environment.PORT}`, key };
    const isRunning = await acceptsKey(running);
    const url = isRunning ? running.url : await listen(service, options);
    const whose = isRunning ? 'running already' : 'started for the demo';
    print('A walk through the Integration API');
    print('');
    print(`  Service  ${url}/${basePath} (${whose})`);
    print(`  Data     ${data}`);
    print(`  API key  ${key.slice(0, visibleKeyCharacters)}... (temporary, revoked at the end)`);
    const client = new DemoClient({ url, key }, print);
    await runChapters({ app: service.app, organizationId, client, print });
    isToBeSeen = environment.OPS_PORT !== undefined && environment.OPS_PASSWORD !== undefined;
    print('');
    if (isToBeSeen) {
      for (const line of await consoleLinks(service, environment, organizationId)) print(line);
    }
    print(`All ${chapters.length} chapters went as expected, in ${client.requestCount} requests.`);
  } finally {
    await end(isToBeSeen);
  }
}

/** Whether a service runs there on the same database. */
async function acceptsKey(address: DemoAddress): Promise<boolean> {
  try {
    // The key is shown only to what says that it is this service.
    const health = await exchange(address, { method: 'GET', path: 'healthz', key: null });
    const { description, ok } = objectOf(health.body);
    if (description !== 'Integration API' || ok !== true) return false;
    const lead = await exchange(address, { method: 'GET', path: 'leads/no-such-lead' });
    return lead.status === 200 || lead.status === 404;
  } catch {
    return false;
  }
}

async function runChapters(run: DemoRun): Promise<void> {
  for (const [index, { title, steps }] of chapters.entries()) {
    const heading = `${index + 1}. ${title}`;
    for (const line of ['', heading, '-'.repeat(heading.length)]) run.print(line);
    try {
      for (const step of steps) {
        await (typeof step === 'function' ? step(run) : run.client.run(step));
      }
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`Demo chapter ${index + 1} (${title}): ${message}`, { cause: error });
    }
  }
}

/** Where in the console the results of a walk can be looked at. */
async function consoleLinks(
  { app }: Service,
  { OPS_PORT }: Environment,
  organizationId: Types.ObjectId,
): Promise<string[]> {
  const reservations = app.get(ReservationsRepository);
  const [reservation] = await reservations.findByRecordSystemIds(organizationId, [deal]);
  const console = `http://127.0.0.1:${OPS_PORT}/console`;
  const pageOf = (kind: string, id: Types.ObjectId | null | undefined) =>
    `    ${console}/${kind}/${organizationId.toHexString()}/${id?.toHexString()}`;
  return [
    'The console shows the story, until a walk in an hour or later deletes it:',
    '  the reservation that was sold, canceled and recovered, with each callback',
    pageOf('reservations', reservation?._id),
    '  its lead, and its unit over time',
    pageOf('leads', reservation?.leadId),
    pageOf('units', reservation?.unitId),
    '  the endpoint that got the events',
    `    ${console}/webhooks?organization=${organizationId.toHexString()}`,
    '',
  ];
}
