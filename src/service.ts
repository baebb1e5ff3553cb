import { NestFactory } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Connection } from 'mongoose';
import { apiReference } from './api-reference.js';
import { AppModule, type AppOptions } from './app.module.js';
import { ApiKeyGuard } from './authentication/api-key.guard.js';
import { KeptResponsesService } from './catalogue/responses/kept-responses.service.js';
import { StartupError } from './configuration/startup-errors.js';
import { Retention } from './database/retention/retention.js';
import { DatabaseStructure } from './database/structure/database-structure.js';
import { assertTransactionsSupported } from './database/connection/topology.js';
import { ErrorFilter } from './http/errors/error.filter.js';
import { ErrorResponses } from './http/errors/error-responses.js';
import { EventWaiters } from './events/event-waiters.js';
import { HealthService } from './health/health.service.js';
import { IdempotentRequests } from './http/idempotency/idempotent-requests.js';
import { RequestRates } from './http/rate-limit/request-rates.js';
import { ResponseBatches } from './http/server/response-batches.js';
import { createFastifyAdapter } from './http/server/fastify-adapter.js';
import { FrameworkLogger } from './http/server/framework-logger.js';
import { GracefulShutdown } from './http/server/graceful-shutdown.js';
import { listenOn } from './http/server/listen-on.js';
import { serveReference } from './http/reference/reference-page.js';
import { LeadPhoneKeys } from './leads/phones/lead-phone-keys.js';
import { tracing } from './operations/tracing/traced.js';
import { Operations } from './operations/operations.js';
import { WebhookBackground } from './webhooks/worker/webhook-background.js';

/** Path under which all endpoints are (rule HTTP-1). */
export const basePath = 'external/apis/v1.0';

/** A service that is ready to listen. */
export interface Service {
  readonly app: NestFastifyApplication;
  /** Stops taking requests, finishes what is running and closes; false when that took too long. */
  shutDown(): Promise<boolean>;
}

/**
 * Puts the service together, connects it and checks its database, without listening yet.
 *
 * @throws StartupError when the database lacks something
 */
export async function createService(options: AppOptions): Promise<Service> {
  const adapter = await createFastifyAdapter(options);
  tracing()?.traceRequests(adapter.getInstance<FastifyInstance>());
  const shutdown = new GracefulShutdown(
    adapter.getInstance<FastifyInstance>(),
    options.environment.DRAIN_MS,
  );
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(options),
    adapter,
    {
      abortOnError: false,
      bodyParser: false,
      // What fails before the logger is there is thrown, and reported in one line.
      logger: false,
    },
  );
  app.useLogger(app.get(FrameworkLogger));
  const errorFilter: ErrorFilter = app.get(ErrorFilter);
  adapter.getInstance<FastifyInstance>().decorate('errorFilter', errorFilter);
  app.get(ApiKeyGuard).addTo(adapter.getInstance<FastifyInstance>());
  app.get(RequestRates).addTo(adapter.getInstance<FastifyInstance>());
  app.get(IdempotentRequests).addTo(adapter.getInstance<FastifyInstance>());
  app.get(KeptResponsesService).addTo(adapter.getInstance<FastifyInstance>());
  app.get(ResponseBatches).addTo(adapter.getInstance<FastifyInstance>());
  app.setGlobalPrefix(basePath);
  await serveReference(app.getHttpAdapter().getInstance(), () =>
    apiReference(app, app.get(ErrorResponses)),
  );
  try {
    await app.init();
    tracing()?.traceCommands(app.get<Connection>(getConnectionToken()).getClient());
    await prepareDatabase(app, options);
  } catch (error) {
    await app.close();
    throw error;
  }
  const shutDown = () => {
    app.get(HealthService).reportShutdown();
    app.get(Operations).reportShutdown();
    // While requests are still accepted, webhooks that are being sent have time to finish.
    void app.get(WebhookBackground).stop();
    app.get(EventWaiters).endAll();
    return shutdown.run(() => app.close());
  };
  return { app, shutDown };
}

/**
 * Starts listening and the background work.
 *
 * @returns the address that it listens on
 * @throws StartupError when it cannot listen there
 */
export async function listen(service: Service, { environment }: AppOptions): Promise<string> {
  const { PORT, HOST } = environment;
  // For its name Fastify may open a second server, which shutdown and limits do not know.
  const host = HOST === 'localhost' ? '127.0.0.1' : HOST;
  await service.app.get(KeptResponsesService).start();
  try {
    const url = await listenOn(service.app.getHttpAdapter().getInstance(), {
      host: { name: 'HOST', value: host },
      port: { name: 'PORT', value: PORT },
    });
    startBackground(service);
    return url;
  } catch (error) {
    await service.app.close();
    throw error;
  }
}

/**
 * Starts the listener for metrics and probes, where OPS_PORT asks for it.
 *
 * @returns the address that it listens on, null for none
 * @throws StartupError when it cannot listen there
 */
export async function startOperations({ app }: Service): Promise<string | null> {
  try {
    return await app.get(Operations).start(app.getHttpAdapter().getInstance());
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Starts the background work alone; from then on the process is ready. */
export function startBackground({ app }: Service): void {
  app.get(Operations).reportStart();
  app.get(LeadPhoneKeys).start();
  app.get(WebhookBackground).start();
}

async function prepareDatabase(
  app: NestFastifyApplication,
  { environment }: AppOptions,
): Promise<void> {
  await assertTransactionsSupported(app);
  const structure = app.get(DatabaseStructure);
  if (environment.NODE_ENV !== 'production') {
    await structure.apply((line) => app.get(FrameworkLogger).log(line));
    return;
  }
  const { isComplete, isOfNewerVersion } = await structure.status();
  if (!isComplete) {
    throw new StartupError(
      'The database lacks collections, indexes or migrations of this version: ' +
        'run `npm run cli -- db init` (`db status` lists them).',
    );
  }
  if (isOfNewerVersion) {
    app
      .get(FrameworkLogger)
      .warn('A newer version has prepared the database: `db status` lists what it has replaced.');
  }
  await warnOfRetention(app);
}

/** The database goes on with what it was told last; nothing depends on that but its size. */
async function warnOfRetention(app: NestFastifyApplication): Promise<void> {
  for (const { kind, variable, isCurrent } of await app.get(Retention).states()) {
    if (isCurrent) continue;
    const line = `The database does not keep ${kind} as ${variable} says: run \`npm run cli -- db init\`.`;
    app.get(FrameworkLogger).warn(line);
  }
}
