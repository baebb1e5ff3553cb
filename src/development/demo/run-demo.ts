import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppOptions } from '../../app.module.js';
import type { Environment } from '../../core/configuration/environment.js';
import { basePath } from '../../core/http/server/route-options.js';
import { createLogger } from '../../core/http/server/logger.js';
import { openDatabase } from '../../open-database.js';
import { EventRelay } from '../../events/outbox/event-relay.js';
import { createService, listen, type Service } from '../../start.js';
import { DemoClient, type Print, type Step } from './demo-client.js';
import { openDemoOrganization } from './demo-organization.js';
import { demoActions, type DemoRun } from './demo-actions.js';

/** A heading, a function of `demo-actions.ts`, or a request. */
type ScriptLine = { readonly chapter: string } | { readonly does: keyof typeof demoActions } | Step;

const script = readFileSync(join(import.meta.dirname, 'demo-script.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as ScriptLine);

export const chapters = script.flatMap((line) => ('chapter' in line ? [line.chapter] : []));

const consoleLinks = `
The console shows these records until a demo run deletes them, an hour or more from now:
  the reservation that was sold, canceled and recovered, with each callback
    {console}/reservations/{organization}/{deal}
  its lead, and its unit over time
    {console}/leads/{organization}/{lead}
    {console}/units/{organization}/{unit}`;

/** @throws Error of one line when the database is unusable or a response is unexpected */
export async function runDemo(environment: Environment, print: Print): Promise<void> {
  if (environment.NODE_ENV === 'production') {
    throw new Error('The demo adds an organization of its own and does not run in production.');
  }
  const database = await openDatabase(environment, { isLasting: false });
  try {
    const options = demoOptions(environment, database.uri);
    const service = await createService(options);
    try {
      await runWithService(service, { environment, options, data: database.description, print });
    } finally {
      await service.app.close();
    }
  } finally {
    await database.stop();
  }
}

interface DemoContext {
  readonly environment: Environment;
  readonly options: AppOptions;
  readonly data: string;
  readonly print: Print;
}

async function runWithService(service: Service, context: DemoContext): Promise<void> {
  const { environment, options, data, print } = context;
  const { app } = service;
  const { keys, organizationId, end } = await openDemoOrganization(app);
  let isShownInConsole = false;
  try {
    const url = await listen(service, options);
    app.get(EventRelay).start();
    print('A walk through the Integration API');
    print('');
    print(`  Service  ${url}/${basePath}`);
    print(`  Data     ${data}`);
    print(`  API keys ${[...keys.keys()].join(', ')} (temporary, revoked at the end)`);
    const client = new DemoClient({ url, keys }, print, {
      lastVisit: new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z/, 'Z'),
      organization: organizationId.toHexString(),
      console: `http://127.0.0.1:${environment.OPS_PORT}/console`,
    });
    await runChapters({ app, organizationId, client, print });
    isShownInConsole = environment.OPS_PORT !== undefined && environment.OPS_PASSWORD !== undefined;
    if (isShownInConsole) for (const line of client.fill(consoleLinks).split('\n')) print(line);
    print('');
    print(`All ${chapters.length} chapters passed, with ${client.requestCount} requests.`);
  } finally {
    await end(isShownInConsole);
  }
}

function demoOptions(environment: Environment, databaseUri: string): AppOptions {
  const { LOG_LEVEL: level } = environment;
  const isQuiet = level === 'silent' || level === 'fatal' || level === 'error';
  const own: Environment = {
    ...environment,
    PORT: 0,
    HOST: '127.0.0.1',
    LOG_LEVEL: isQuiet ? level : 'warn',
    // The demo sends only its own webhook: a worker would also send those of others, to any address.
    ROLE: 'api',
    WEBHOOKS_ALLOW_HTTP: true,
    WEBHOOKS_ALLOW_PRIVATE_NETWORKS: true,
    // The demo organization has no domain of its own.
    ENFORCE_API_DOMAIN: false,
  };
  return { environment: own, databaseUri, logger: createLogger(own, process.stderr) };
}

async function runChapters(run: DemoRun): Promise<void> {
  let number = 0;
  for (const line of script) {
    if ('chapter' in line) {
      number += 1;
      const heading = `${number}. ${line.chapter}`;
      for (const text of ['', heading, '-'.repeat(heading.length)]) run.print(text);
      continue;
    }
    try {
      await ('request' in line ? run.client.run(line) : demoActions[line.does](run));
    } catch (error) {
      const reason = `Demo chapter ${number} (${chapters[number - 1]}): ${(error as Error).message}`;
      throw new Error(reason, { cause: error });
    }
  }
}
