import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Connection } from 'mongoose';
import { Logger } from 'nestjs-pino';
import { AppModule, type AppOptions } from './app.module.js';
import { ENVIRONMENT, type Environment } from './core/configuration/environment.js';
import { loadEnvironment, warnAboutMisspellings } from './core/configuration/load-environment.js';
import { ConfigurationError, StartupError } from './core/configuration/startup-errors.js';
import { DatabaseStructure } from './core/database/structure/database-structure.js';
import { basePath } from './core/http/requests/route-options.js';
import { ErrorResponses } from './core/errors/error-responses.js';
import { serveReference } from './reference/reference-page.js';
import type { Connections } from './core/http/server/connections.js';
import { corsDefaults } from './core/http/server/cors.js';
import { listenOn } from './core/http/server/listen.js';
import { createHttpServer } from './core/http/server/fastify-adapter.js';
import { RequestDeadline } from './core/http/requests/request-deadline.js';
import { addRequestHooks } from './core/http/server/request-hooks.js';
import { createLogger } from './core/http/server/logger.js';
import { activeTracing, startTracing, stopTracing } from './core/observability/tracing.js';
import { announceStart, announceStop } from './development/startup-banner.js';
import { ensureDemoOrganization } from './development/demo/demo-organization.js';
import {
  assertTransactionsSupported,
  describeConnectionError,
  openDatabase,
} from './open-database.js';
import { LongPollWaiters } from './events/feed/long-poll-waiters.js';
import { EventRelay } from './events/outbox/event-relay.js';
import { HealthService } from './health/health.service.js';
import { LeadPhoneKeys } from './leads/phones/lead-phone-keys.js';
import { OpsListener } from './operator/ops-listener/ops-listener.js';
import { publishedDocuments } from './reference/published-documents.js';
import { ApiKeyGuard } from './tenants/keys/api-key.guard.js';
import { PageOrigins } from './tenants/keys/origins/page-origins.js';
import { WebhookWorker } from './webhooks/sending/webhook-worker.js';

/** Ends just before the 10 seconds that a shutdown may take (rule HTTP-13). */
const shutdownTimeoutMs = 9_000;

export interface Service {
  readonly app: NestFastifyApplication;
  readonly connections: Connections;
  /** Resolves to false after a timeout. */
  readonly shutDown: () => Promise<boolean>;
}

export interface RunningService {
  /** Null for a worker, which does not listen. */
  readonly url: string | null;
  /** Prints addresses and keys; from then on a signal may arrive. */
  announce(): void;
  announceStop(isFinished: boolean): void;
  /** Resolves to false after a timeout. */
  shutDown(): Promise<boolean>;
}

export async function startService(): Promise<void> {
  let environment: Environment | undefined;
  try {
    environment = loadEnvironment();
    const service = await runService(environment);
    const shutDown = async () => {
      const isFinished = await service.shutDown();
      service.announceStop(isFinished);
      process.exit(isFinished ? 0 : 1);
    };
    // npm forwards signals that the process group has received already, so each may arrive twice.
    process.on('SIGTERM', () => void shutDown());
    process.on('SIGINT', () => void shutDown());
    service.announce();
  } catch (error) {
    exitOnStartupError(error, environment?.NODE_ENV);
  }
}

/**
 * Prints the reason and exits, with code 2 for an invalid configuration and 1 otherwise. * @public `npm run
 * start:dev` calls it.
 */
export function exitOnStartupError(error: unknown, nodeEnv?: Environment['NODE_ENV']): never {
  process.stderr.write(`${reasonOf(error, nodeEnv)}\n`);
  process.exit(error instanceof ConfigurationError ? 2 : 1);
}

/** Production logs are read by programs and get one line; elsewhere an unexpected error has its stack. */
function reasonOf(error: unknown, nodeEnv?: Environment['NODE_ENV']): string {
  if (!(error instanceof StartupError) && nodeEnv !== 'production') return inspect(error);
  return error instanceof Error ? error.message : String(error);
}

/** @throws ConfigurationError; StartupError when the service cannot start for a known reason */
export async function runService(
  environment = loadEnvironment(),
  logger = createLogger(environment),
): Promise<RunningService> {
  const database = await openDatabase(environment);
  let service: Service | undefined;
  try {
    warnAboutMisspellings(logger);
    await startTracing(logger);
    const options = { environment, databaseUri: database.uri, logger };
    service = await createService(options);
    const operationsUrl = await startOpsListener(service);
    const isWorker = environment.ROLE === 'worker';
    if (isWorker) startBackgroundWork(service);
    const url = isWorker ? null : await listen(service, options);
    // This comes last: a failed start would store the demo's keys without printing them.
    const demo =
      environment.NODE_ENV === 'development'
        ? await ensureDemoOrganization(service.app, url ?? undefined)
        : null;
    const loginPath = await service.app.get(OpsListener).loginPath();
    const started = { url, operationsUrl, loginPath, environment, database, demo };
    const { shutDown: shutDownService } = service;
    const shutDown = async () => {
      const isFinished = await shutDownService();
      await stopTracing();
      await database.stop();
      return isFinished;
    };
    return {
      url,
      announce: () => announceStart(started, environment, logger),
      announceStop: (isFinished) => announceStop(isFinished, environment, logger),
      shutDown,
    };
  } catch (error) {
    await service?.app.close();
    await database.stop();
    throw await describeConnectionError(database, error);
  }
}

/** @throws StartupError when an index, a validator or transactions are missing */
export async function createService(options: AppOptions): Promise<Service> {
  const { adapter, connections, refuseOtherMethods } = await createHttpServer(options);
  const fastify = adapter.getInstance<FastifyInstance>();
  activeTracing()?.traceRequests(fastify);
  // Nest throws errors before it has a logger, and the start reports them in one line.
  const quiet = { abortOnError: false, bodyParser: false, logger: false } as const;
  const module = AppModule.forRoot(options);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, quiet);
  fastify.decorate('errorResponses', app.get<ErrorResponses>(ErrorResponses));
  fastify.decorate('isPageOrigin', (origin) => app.get(PageOrigins).includes(origin));
  addRequestHooks(fastify, {
    connections,
    deadline: app.get(RequestDeadline),
    logger: options.logger,
    identifyCaller: (request) => app.get(ApiKeyGuard).identify(request),
  });
  app.enableCors(corsDefaults);
  app.setGlobalPrefix(basePath);
  await serveReference(fastify, publishedDocuments(app, fastify.errorResponses));
  try {
    await app.init();
    // With a logger before this line, Nest would log each class and route.
    app.useLogger(app.get(Logger));
    refuseOtherMethods();
    activeTracing()?.traceCommands(app.get<Connection>(getConnectionToken()).getClient());
    await prepareDatabase(app, options.environment);
  } catch (error) {
    await app.close();
    throw error;
  }
  const closeAll = async () => {
    app.get(HealthService).reportShutdown();
    // Webhooks in progress have time to finish while requests are still accepted.
    void app.get(WebhookWorker).stop();
    app.get(LongPollWaiters).endAll();
    await connections.drain(options.environment.DRAIN_MS);
    await app.close();
    return true;
  };
  let isFinished: Promise<boolean> | undefined;
  const shutDown = () =>
    (isFinished ??= Promise.race([closeAll(), delay(shutdownTimeoutMs, false, { ref: false })]));
  return { app, connections, shutDown };
}

async function prepareDatabase(
  app: NestFastifyApplication,
  { NODE_ENV }: Environment,
): Promise<void> {
  await assertTransactionsSupported(app.get<Connection>(getConnectionToken()));
  const structure = app.get(DatabaseStructure);
  const logger = app.get(Logger);
  if (NODE_ENV === 'production') await structure.assertComplete((line) => logger.warn(line));
  else await structure.apply((line) => logger.log(line));
}

/** @throws StartupError when the address is unavailable */
export async function listen(service: Service, { environment }: AppOptions): Promise<string> {
  const { PORT, HOST } = environment;
  // The name may resolve to an IPv6 address, which clients of 127.0.0.1 do not reach.
  const to = { host: HOST === 'localhost' ? '127.0.0.1' : HOST, port: PORT };
  const fastify = service.app.getHttpAdapter().getInstance();
  const url = await listenOn(fastify, service.connections, to, ['HOST', 'PORT']);
  startBackgroundWork(service);
  return url;
}

/** @returns null without OPS_PORT */
export function startOpsListener({ app }: Service): Promise<string | null> {
  return app.get(OpsListener).start(app.getHttpAdapter().getInstance());
}

/** Starts the background work and reports the process as ready. */
export function startBackgroundWork({ app }: Service): void {
  app.get(HealthService).reportStart();
  app.get(LeadPhoneKeys).start();
  if (app.get<Environment>(ENVIRONMENT).ROLE === 'api') return;
  app.get(EventRelay).start();
  app.get(WebhookWorker).start();
}
