import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { ConnectionPool } from '../../core/database/connection/connection-pool.js';
import { RequestMetrics } from '../../core/http/server/request-metrics.js';
import { Metrics } from '../../core/observability/metrics.js';
import { RequestRecorder } from '../requests/request-recorder.js';
import { UsageRecorder } from '../usage/usage-recorder.js';
import { OperationsServer } from './operations-server.js';
import { addServiceMetrics } from './service-metrics.js';

@Injectable()
export class Operations {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly modules: ModuleRef,
    private readonly pool: ConnectionPool,
    private readonly metrics: Metrics,
    private readonly requests: RequestMetrics,
    private readonly server: OperationsServer,
    private readonly usage: UsageRecorder,
    private readonly refusals: RequestRecorder,
  ) {}

  /** @returns the address of the operations listener; null without OPS_PORT */
  async start(fastify: FastifyInstance): Promise<string | null> {
    const isMeasured = this.environment.OPS_PORT !== undefined;
    if (isMeasured) this.requests.addTo(fastify);
    // Also without OPS_PORT: the console of another process shows the calls of all.
    this.usage.start(fastify);
    this.refusals.start(fastify);
    if (!isMeasured) return null;
    this.pool.observe();
    addServiceMetrics(this.modules);
    this.metrics.measureProcess();
    return this.server.listen();
  }
}
