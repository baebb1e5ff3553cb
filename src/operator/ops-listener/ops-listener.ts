import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LazyModuleLoader, ModuleRef } from '@nestjs/core';
import { fastify, type FastifyInstance } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { Connections, unparsableResponse } from '../../core/http/server/connections.js';
import { listenOn } from '../../core/http/server/listen.js';
import {
  readForwardedAddresses,
  trustProxyOption,
} from '../../core/http/requests/client-address.js';
import { requestIdFor } from '../../core/http/requests/request-context.js';
import { addRequestMetrics } from '../../core/http/server/request-metrics.js';
import { Metrics } from '../../core/observability/metrics.js';
import { HealthService } from '../../health/health.service.js';
import { RequestRecorder } from '../request-log/request-recorder.js';
import { UsageRecorder } from '../usage/usage-recorder.js';
import { addServiceMetrics } from './service-metrics.js';

export const livenessPath = '/livez';
export const readinessPath = '/readyz';

const requestTimeoutMs = 10_000;
/** Scrapers and probes open far fewer. */
const maxConnections = 100;

/** Serves metrics, probes (rule OPS-10) and console. Closes last, so that probes see the process drain. */
@Injectable()
export class OpsListener implements OnApplicationShutdown {
  private server: FastifyInstance | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly modules: ModuleRef,
    private readonly lazyModules: LazyModuleLoader,
    private readonly metrics: Metrics,
    private readonly health: HealthService,
    private readonly usage: UsageRecorder,
    private readonly refusals: RequestRecorder,
  ) {}

  /** @returns the address of the listener without a path; null without OPS_PORT */
  async start(service: FastifyInstance): Promise<string | null> {
    const { OPS_PORT, OPS_HOST, WRITE_TIMEOUT_MS } = this.environment;
    if (OPS_PORT !== undefined) addRequestMetrics(service, this.metrics);
    // Usage is recorded even without OPS_PORT, because the console of another process shows all calls.
    this.usage.start(service);
    this.refusals.start(service);
    if (OPS_PORT === undefined) return null;
    addServiceMetrics(this.modules);
    this.metrics.measureProcess();
    const connections = new Connections({
      http: {},
      keepAliveTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      writeTimeout: WRITE_TIMEOUT_MS,
      limit: maxConnections,
      unparsableResponse: ({ status }) => unparsableResponse(status, {}, '{}'),
    });
    const server = await this.createServer(connections);
    const to = { host: OPS_HOST, port: OPS_PORT };
    const url = await listenOn(server, connections, to, ['OPS_HOST', 'OPS_PORT']);
    this.server = server;
    return url;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  private async createServer(connections: Connections): Promise<FastifyInstance> {
    const server = fastify({
      ...connections.serverOptions,
      requestIdHeader: false,
      genReqId: requestIdFor,
      trustProxy: trustProxyOption(this.environment),
    });
    readForwardedAddresses(server);
    connections.attach(server);
    server.addHook('onRequest', ({ raw }, reply, done) => {
      const refusal = connections.refusalOf(raw);
      if (refusal === null) void reply.hijack();
      else done(refusal);
    });
    server.addHook('onSend', ({ raw }, reply, _payload, done) => {
      void reply.header('cache-control', 'no-store');
      connections.beforeResponse(raw, reply, done);
    });
    server.get('/metrics', async (_request, reply) => {
      const text = await this.metrics.text();
      return reply.type(this.metrics.contentType).send(text);
    });
    server.get(livenessPath, () => ({ live: true }));
    server.get(readinessPath, async (_request, reply) => {
      const report = await this.health.readiness();
      return reply.status(report.ready ? 200 : 503).send(report);
    });
    if (this.environment.OPS_PASSWORD !== undefined) await this.addConsole(server);
    return server;
  }

  /** Loads the console's many files only if OPS_PASSWORD is set. */
  private async addConsole(server: FastifyInstance): Promise<void> {
    const { ConsoleModule } = await import('../console/console.module.js');
    const { Console } = await import('../console/console.js');
    const loaded = await this.lazyModules.load(() => ConsoleModule, { logger: false });
    await loaded.get(Console).addTo(server);
  }
}
