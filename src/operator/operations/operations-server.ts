import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { fastify, type FastifyInstance } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { Connections, unparsableResponse } from '../../core/http/server/connections.js';
import { listenOn } from '../../core/http/server/listen-on.js';
import { requestId } from '../../core/http/server/request-context.js';
import { trustProxy } from '../../core/http/server/fastify-adapter.js';
import { Metrics } from '../../core/observability/metrics.js';
import { HealthService } from '../../health/health.service.js';

/** Where probes ask whether a process responds at all, and whether requests may come. */
export const livenessPath = '/livez';
export const readinessPath = '/readyz';

/** How long a request to it may take to arrive. */
const requestTimeoutMs = 10_000;
/** Far more than scrapers and probes open; beyond that the one that has been idle longest is closed. */
const connectionsLimit = 100;

/**
 * The listener of those who operate the service: metrics and probes (rule OPS-10), and the console. It stays until
 * everything else is closed, so that a process that drains says so.
 */
@Injectable()
export class OperationsServer implements OnApplicationShutdown {
  private server: FastifyInstance | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly metrics: Metrics,
    private readonly health: HealthService,
    private readonly modules: LazyModuleLoader,
  ) {}

  /**
   * Listens on OPS_HOST and OPS_PORT.
   *
   * @returns its address without path; null when OPS_PORT is not set
   * @throws StartupError when it cannot listen there
   */
  async listen(): Promise<string | null> {
    const { OPS_PORT, OPS_HOST } = this.environment;
    if (OPS_PORT === undefined) return null;
    const connections = new Connections({
      http: { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs },
      limit: connectionsLimit,
      writeTimeoutMs: this.environment.WRITE_TIMEOUT_MS,
      unparsableResponse: ({ status }) => unparsableResponse(status, {}, '{}'),
    });
    const server = await this.createServer(connections);
    const url = await listenOn(server, connections, {
      host: { name: 'OPS_HOST', value: OPS_HOST },
      port: { name: 'OPS_PORT', value: OPS_PORT },
    });
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
      genReqId: requestId,
      trustProxy: trustProxy(this.environment),
    });
    // A scraper keeps its connection open.
    server.addHook('preClose', (done) => {
      connections.destroy();
      done();
    });
    connections.addTo(server);
    connections.rejectAmbiguousRequests(server);
    server.addHook('onSend', (_request, reply, _payload, done) => {
      void reply.header('cache-control', 'no-store');
      done();
    });
    server.get('/metrics', async (_request, reply) => {
      const text = await this.metrics.text();
      return reply.type(this.metrics.contentType).send(text);
    });
    // Whoever gets this response knows what it asks for: the process still does its work.
    server.get(livenessPath, () => ({ live: true }));
    server.get(readinessPath, async (_request, reply) => {
      const report = await this.health.readiness();
      return reply.status(report.ready ? 200 : 503).send(report);
    });
    if (this.environment.OPS_PASSWORD !== undefined) await this.addConsole(server);
    return server;
  }

  /** Its pages are many files, which are loaded only where somebody can open them. */
  private async addConsole(server: FastifyInstance): Promise<void> {
    const { ConsoleModule } = await import('../console/console.module.js');
    const { Console } = await import('../console/console.js');
    const loaded = await this.modules.load(() => ConsoleModule, { logger: false });
    await loaded.get(Console).addTo(server);
  }
}
