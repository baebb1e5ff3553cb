import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Connections } from './connections.js';

/** When to stop waiting for what is still running, within the 10 seconds that are allowed. */
const shutdownTimeoutMs = 9_000;

/**
 * Makes each connection close with the response to the last request on it once the service shuts down, so that
 * keep-alive clients go elsewhere instead of holding it (rule HTTP-13).
 */
export class GracefulShutdown {
  private readonly connections: Connections;
  private shutdown: Promise<boolean> | undefined;

  /** @param drainMs how long requests are still accepted: load balancers notice late */
  constructor(
    fastify: FastifyInstance,
    private readonly drainMs: number,
  ) {
    this.connections = new Connections(fastify.server);
    fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
      if (this.shutdown && !this.connections.runsMore(raw.socket)) {
        reply.header('connection', 'close');
      }
      done();
    });
  }

  /**
   * Keeps accepting for a moment, then closes: the listener first, what has arrived is finished.
   * Later calls join the first one.
   *
   * @param close closes the application and everything that it uses
   * @returns whether everything was finished in time
   */
  run(close: () => Promise<void>): Promise<boolean> {
    this.shutdown ??= this.closeWithinTimeout(close);
    return this.shutdown;
  }

  private async closeWithinTimeout(close: () => Promise<void>): Promise<boolean> {
    await delay(this.drainMs);
    const closed = this.connections
      .close()
      .then(close)
      .then(() => true);
    const timeout = shutdownTimeoutMs - this.drainMs;
    return Promise.race([closed, delay(timeout, false, { ref: false })]);
  }
}
