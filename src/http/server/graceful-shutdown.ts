import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** When to stop waiting for what is still running, within the 10 seconds that are allowed. */
const shutdownTimeoutMs = 9_000;

/**
 * Makes every response close its connection once the service shuts down, so that keep-alive clients
 * go elsewhere instead of holding it (rule HTTP-13).
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
    await delay(this.drainMs);
    const closed = this.connections
      .close()
      .then(close)
      .then(() => true);
    const timeout = shutdownTimeoutMs - this.drainMs;
    return Promise.race([closed, delay(timeout, false, { ref: false })]);
  }
}

/** The connections of a server, and what is running on them. */
class Connections {
  private readonly sockets = new Set<Socket>();
  private readonly responses = new Set<ServerResponse>();
  private isClosing = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.on('request', (_request, response) => {
      this.responses.add(response);
      response.once('close', () => {
        this.responses.delete(response);
        if (this.isClosing) this.closeUnused();
      });
    });
  }

  /** Stops listening and closes each connection when no request is running on it any longer. */
  async close(): Promise<void> {
    this.isClosing = true;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.closeUnused();
    await closed;
  }

  private closeUnused(): void {
    const used = new Set([...this.responses].map(({ req }) => req.socket));
    for (const socket of this.sockets) if (!used.has(socket)) socket.destroySoon();
  }
}
