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
import type { OperatorConsole } from '../console/console.js';
import { UsageRecorder } from '../usage/usage-recorder.js';
import { livenessPath, readinessPath } from './probe-paths.js';
import { addServiceMetrics } from './service-metrics.js';

const requestTimeoutMs = 10_000;
/** Scrapers and probes open far fewer. */
const maxConnections = 100;
/** Prometheus' usual port for exporters. */
const developmentPort = 9_464;

/** Serves metrics, probes (rule OPS-10) and console. Closes last, so that probes see the process drain. */
@Injectable()
export class OpsListener implements OnApplicationShutdown {
  private server: FastifyInstance | undefined;
  private console: OperatorConsole | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly modules: ModuleRef,
    private readonly lazyModules: LazyModuleLoader,
    private readonly metrics: Metrics,
    private readonly health: HealthService,
    private readonly usage: UsageRecorder,
    private readonly refusals: RequestRecorder,
  ) {}

  /** @returns the address of the listener without a path; null if it is off */
  async start(service: FastifyInstance): Promise<string | null> {
    const { OPS_PORT } = this.environment;
    const isOff = OPS_PORT === undefined && !this.isDevelopment();
    if (!isOff) addRequestMetrics(service, this.metrics);
    // Usage is recorded even without the listener, because the console of another process shows all calls.
    this.usage.start(service);
    this.refusals.start(service);
    if (isOff) return null;
    addServiceMetrics(this.modules);
    this.metrics.measureProcess();
    if (OPS_PORT !== undefined) return this.listen(OPS_PORT);
    // Another instance may have the usual port.
    return this.listen(developmentPort).catch(() => this.listen(0));
  }

  /** @returns the path of a link that logs in to the console once; null where a password does, or without a console */
  async loginPath(): Promise<string | null> {
    if (this.console === undefined || this.environment.OPS_PASSWORD !== undefined) return null;
    return this.console.createLoginPath();
  }

  private isDevelopment(): boolean {
    return this.environment.NODE_ENV === 'development';
  }

  private async listen(port: number): Promise<string> {
    const { OPS_HOST, WRITE_TIMEOUT_MS } = this.environment;
    const connections = new Connections({
      http: {},
      keepAliveTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      writeTimeout: WRITE_TIMEOUT_MS,
      limit: maxConnections,
      unparsableResponse: ({ status }) => unparsableResponse(status, {}, '{}'),
    });
    const server = await this.createServer(connections);
    const to = { host: OPS_HOST, port };
    const url = await listenOn(server, connections, to, ['OPS_HOST', 'OPS_PORT']);
    this.server = server;
    return url;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  private async createServer(connections: Connections): Promise<FastifyInstance> {
    const { OPS_PASSWORD } = this.environment;
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
      if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
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
    if (OPS_PASSWORD !== undefined || this.isDevelopment()) await this.addConsole(server);
    return server;
  }

  /** Loads the console's many files only if it is on. */
  private async addConsole(server: FastifyInstance): Promise<void> {
    const { ConsoleModule } = await import('../console/console.module.js');
    const { OperatorConsole } = await import('../console/console.js');
    const loaded = await this.lazyModules.load(() => ConsoleModule, { logger: false });
    const console = loaded.get(OperatorConsole);
    await console.addTo(server);
    this.console = console;
  }
}
