import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Connection } from 'mongoose';
import { AppModule, type AppOptions } from './app.module.js';
import { ResponseCache } from './core/cache/response-cache.js';
import { loadEnvironment, warnOfMisspeltVariables } from './core/configuration/load-environment.js';
import { assertTransactionsSupported } from './core/database/connection/topology.js';
import { DatabaseStructure } from './core/database/structure/database-structure.js';
import { basePath } from './core/http/base-path.js';
import { ErrorFilter } from './core/http/errors/error.filter.js';
import { ErrorResponses } from './core/http/errors/error-responses.js';
import { RequestRates } from './core/http/rate-limit/request-rates.js';
import { UnsentResponses } from './core/http/rate-limit/unsent-responses.js';
import { serveReference } from './core/http/reference/reference-page.js';
import type { Connections } from './core/http/server/connections.js';
import { createHttpServer } from './core/http/server/fastify-adapter.js';
import { FrameworkLogger } from './core/http/server/framework-logger.js';
import { createLogger } from './core/http/server/logger.js';
import { listenOn } from './core/http/server/listen-on.js';
import { IdempotentRequests } from './core/idempotency/idempotent-requests.js';
import {
  startTracing,
  stopTracing,
  traceCommands,
  traceRequests,
} from './core/observability/tracing.js';
import { announce, type Line, linesAbout } from './development/announcement.js';
import { openAtStart } from './development/demo/demo-organization.js';
import { describeConnectionError, openDatabase } from './open-database.js';
import { EventWaiters } from './events/feed/event-waiters.js';
import { EventRelay } from './events/outbox/event-relay.js';
import { HealthService } from './health/health.service.js';
import { LeadPhoneKeys } from './leads/phones/lead-phone-keys.js';
import { Operations } from './operator/operations/operations.js';
import { Readiness } from './operator/operations/readiness.js';
import { apiReference } from './reference/api-reference.js';
import { ApiKeyGuard } from './tenants/keys/api-key.guard.js';
import { CallbackSignatures } from './tenants/keys/callback-signatures.js';
import { KeyRestrictionsGuard } from './tenants/keys/key-restrictions.guard.js';
import { WebhookWorker } from './webhooks/sending/webhook-worker.js';

/** The hooks of features, in the order in which requests meet them; those of HTTP itself come before. */
const hooks = [
  ApiKeyGuard,
  RequestRates,
  KeyRestrictionsGuard,
  CallbackSignatures,
  UnsentResponses,
  IdempotentRequests,
  ResponseCache,
];

/** When to stop waiting for running work, within the 10 seconds that are allowed. */
const shutdownTimeoutMs = 9_000;

/** A service that is ready to listen. */
export interface Service {
  readonly app: NestFastifyApplication;
  readonly connections: Connections;
  /** Stops taking requests, finishes what is running and closes; false when that took too long. */
  shutDown(): Promise<boolean>;
}

export interface RunningService {
  /** Address that it listens on, without path; null for a worker, which listens nowhere. */
  readonly url: string | null;
  /** Prints what a newcomer needs to know; from then on a reader may end the service. */
  announce(): void;
  /** Finishes what is running and closes everything; false when that took too long. */
  shutDown(): Promise<boolean>;
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
    await startTracing(logger);
    const options = { environment, databaseUri: database.uri, logger };
    const service = await createService(options);
    const operationsUrl = await startOperations(service);
    const url = await begin(service, options);
    // Only now: the key of a failed start would be stored without ever having been printed.
    const demo = environment.NODE_ENV === 'development' ? await openAtStart(service.app) : null;
    const lines: Line[] = linesAbout({ url, operationsUrl, environment, database, demo });
    const shutDown = async () => {
      const isFinished = await service.shutDown();
      await stopTracing();
      await database.stop();
      return isFinished;
    };
    return { url, announce: () => announce(lines, environment, logger), shutDown };
  } catch (error) {
    await database.stop();
    throw await describeConnectionError(database, error);
  }
}

/**
 * Puts the service together, connects it and checks its database, without listening yet.
 *
 * @throws StartupError when the database lacks something
 */
export async function createService(options: AppOptions): Promise<Service> {
  const { adapter, connections, rejectOtherMethods } = await createHttpServer(options);
  const fastify = adapter.getInstance<FastifyInstance>();
  traceRequests(fastify);
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
  fastify.decorate('errorFilter', errorFilter);
  for (const hook of hooks) app.get<InstanceType<typeof hook>>(hook).addTo(fastify);
  app.setGlobalPrefix(basePath);
  await serveReference(fastify, () => apiReference(app, app.get(ErrorResponses)));
  try {
    await app.init();
    rejectOtherMethods();
    traceCommands(app.get<Connection>(getConnectionToken()).getClient());
    await prepareDatabase(app, options);
  } catch (error) {
    await app.close();
    throw error;
  }
  const closeAll = async () => {
    app.get(HealthService).reportShutdown();
    app.get(Readiness).reportShutdown();
    // While requests are still accepted, webhooks that are being sent have time to finish.
    void app.get(WebhookWorker).stop();
    app.get(EventWaiters).endAll();
    await connections.drain(options.environment.DRAIN_MS);
    await app.close();
    return true;
  };
  let isFinished: Promise<boolean> | undefined;
  // A further signal changes nothing.
  const shutDown = () =>
    (isFinished ??= Promise.race([closeAll(), delay(shutdownTimeoutMs, false, { ref: false })]));
  return { app, connections, shutDown };
}

/**
 * Starts listening and the background work.
 *
 * @returns the address that it listens on
 * @throws StartupError when it cannot listen there
 */
export async function listen(service: Service, { environment }: AppOptions): Promise<string> {
  const { PORT, HOST } = environment;
  // The name may stand for an IPv6 address, at which clients of 127.0.0.1 find nothing.
  const host = HOST === 'localhost' ? '127.0.0.1' : HOST;
  try {
    const url = await listenOn(service.app.getHttpAdapter().getInstance(), service.connections, {
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
  app.get(Readiness).reportStart();
  app.get(LeadPhoneKeys).start();
  app.get(EventRelay).start();
  app.get(WebhookWorker).start();
}

/** The address that it listens on; null for a worker, which only delivers. */
async function begin(service: Service, options: AppOptions): Promise<string | null> {
  if (options.environment.ROLE !== 'worker') return listen(service, options);
  startBackground(service);
  return null;
}

async function prepareDatabase(
  app: NestFastifyApplication,
  { environment }: AppOptions,
): Promise<void> {
  await assertTransactionsSupported(app);
  const structure = app.get(DatabaseStructure);
  const logger = app.get(FrameworkLogger);
  if (environment.NODE_ENV !== 'production') {
    await structure.apply((line) => logger.log(line));
    return;
  }
  await structure.assertComplete((line) => logger.warn(line));
}
