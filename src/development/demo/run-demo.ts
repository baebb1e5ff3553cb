import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppOptions } from '../../app.module.js';
import type { Environment } from '../../core/configuration/environment.js';
import { basePath } from '../../core/http/requests/route-options.js';
import { createLogger } from '../../core/http/server/logger.js';
import { openDatabase } from '../../open-database.js';
import { EventRelay } from '../../events/outbox/event-relay.js';
import { createService, listen, type Service } from '../../start.js';
import { DemoClient, type Print, type Step } from './demo-client.js';
import { openDemoOrganization } from './demo-organization.js';

/** One request for each operation of the API. */
export const steps = readFileSync(join(import.meta.dirname, 'demo-requests.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Step);

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
      await runWithService(service, { options, data: database.description, print });
    } finally {
      await service.app.close();
    }
  } finally {
    await database.stop();
  }
}

interface DemoContext {
  readonly options: AppOptions;
  readonly data: string;
  readonly print: Print;
}

async function runWithService(service: Service, context: DemoContext): Promise<void> {
  const { options, data, print } = context;
  const { app } = service;
  const { keys, end } = await openDemoOrganization(app);
  try {
    const url = await listen(service, options);
    app.get(EventRelay).start();
    print('All operations of the Integration API');
    print('');
    print(`  Service  ${url}/${basePath}`);
    print(`  Data     ${data}`);
    print(`  API keys ${[...keys.keys()].join(', ')} (temporary, revoked at the end)`);
    const client = new DemoClient({ url, keys }, print);
    for (const step of steps) await client.run(step);
    print('');
    print(`All ${steps.length} operations responded as expected.`);
  } finally {
    await end();
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
    // A worker would also send webhooks of other organizations.
    ROLE: 'api',
    // The demo organization has no domain of its own.
    ENFORCE_API_DOMAIN: false,
  };
  return { environment: own, databaseUri, logger: createLogger(own, process.stderr) };
}
