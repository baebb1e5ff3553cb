import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long new requests are still accepted after the signal: load balancers notice late. */
const acceptDuringShutdownMs = 600;
/** When to stop waiting for what is still running, within the 10 seconds that are allowed. */
const shutdownTimeoutMs = 9_000;

/**
 * Makes every response close its connection once the service shuts down, so that keep-alive clients
 * go elsewhere instead of holding it (rule HTTP-13).
 */
export class GracefulShutdown {
  private shutdown: Promise<boolean> | undefined;

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onSend', (_request, reply, _payload, done) => {
      if (this.shutdown) reply.header('connection', 'close');
      done();
    });
  }

  /**
   * Keeps accepting for a moment, then closes: the listener first, what is running is finished.
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
    await delay(acceptDuringShutdownMs);
    const closed = close().then(() => true);
    const timeout = shutdownTimeoutMs - acceptDuringShutdownMs;
    return Promise.race([closed, delay(timeout, false, { ref: false })]);
  }
}
