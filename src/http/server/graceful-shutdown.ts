import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long new requests are still accepted after the signal: load balancers notice late. */
const acceptFor = 600;
/** When to give up on what is still running, within the 10 seconds that are allowed. */
const giveUpAfter = 9_000;

/**
 * Makes every answer close its connection once the service is leaving, so that keep-alive clients
 * go elsewhere instead of holding it ("All endpoints" 11).
 */
export class GracefulShutdown {
  private leaving: Promise<boolean> | undefined;

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onSend', (_request, reply, _payload, done) => {
      if (this.leaving) reply.header('connection', 'close');
      done();
    });
  }

  /**
   * Goes on accepting for a moment, then closes: the listener first, what is running is finished.
   * Later calls join the first one.
   *
   * @param close closes the application and everything that it uses
   * @returns whether everything was finished in time
   */
  leave(close: () => Promise<void>): Promise<boolean> {
    this.leaving ??= this.closeInTime(close);
    return this.leaving;
  }

  private async closeInTime(close: () => Promise<void>): Promise<boolean> {
    await delay(acceptFor);
    const closed = close().then(() => true);
    return Promise.race([closed, delay(giveUpAfter - acceptFor, false, { ref: false })]);
  }
}
