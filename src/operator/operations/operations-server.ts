import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { fastify, type FastifyInstance } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { Connections, unparsableResponse } from '../../core/http/server/connections.js';
import { listenOn } from '../../core/http/server/listen-on.js';
import { requestIdFor } from '../../core/http/server/request-context.js';
import { trustProxyOption } from '../../core/http/server/fastify-adapter.js';
import { Metrics } from '../../core/observability/metrics.js';
import { HealthService } from '../../health/health.service.js';

export const livenessPath = '/livez';
export const readinessPath = '/readyz';

const requestTimeoutMs = 10_000;
/** Far more than scrapers and probes open; beyond it the connection that is idle longest is closed. */
const maxConnections = 100;

/** Metrics, probes (rule OPS-10) and console. It closes last, so that probes see that a process drains. */
@Injectable()
export class OperationsServer implements OnApplicationShutdown {
  private server: FastifyInstance | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly metrics: Metrics,
    private readonly health: HealthService,
    private readonly modules: LazyModuleLoader,
  ) {}

  /** @returns its address without path; null when OPS_PORT is not set */
  async listen(): Promise<string | null> {
    const { OPS_PORT, OPS_HOST } = this.environment;
    if (OPS_PORT === undefined) return null;
    const connections = new Connections({
      http: { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs },
      limit: maxConnections,
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
      genReqId: requestIdFor,
      trustProxy: trustProxyOption(this.environment),
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
    server.get(livenessPath, () => ({ live: true }));
    server.get(readinessPath, async (_request, reply) => {
      const report = await this.health.readiness();
      return reply.status(report.ready ? 200 : 503).send(report);
    });
    if (this.environment.OPS_PASSWORD !== undefined) await this.addConsole(server);
    return server;
  }

  /** Loads the many console files only if OPS_PASSWORD is set. */
  private async addConsole(server: FastifyInstance): Promise<void> {
    const { ConsoleModule } = await import('../console/console.module.js');
    const { Console } = await import('../console/console.js');
    const loaded = await this.modules.load(() => ConsoleModule, { logger: false });
    await loaded.get(Console).addTo(server);
  }
}
