import type { Server } from 'node:http';
import { Server as TcpServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** How long a new connection may take to send its request while the service closes. */
const firstRequestMs = 250;

/** Whoever has a response to a request that was still running comes again within such a time, mostly. */
const returnMs = 50;
/** How long to wait for that. */
const maxReturnWaitMs = 1_000;
/** How long to wait for a moment in which nobody waits for the listener. */
const maxQuietWaitMs = 250;

/** How often closed connections are logged. */
const dropReportMs = 10_000;

/**
 * Bounds how many connections are open at a time. A further one is closed at once, without a
 * response (rule HTTP-21).
 */
export function limitConnections({ server }: FastifyInstance, logger: Logger, limit: number): void {
  server.maxConnections = limit;
  let dropped = 0;
  let reportedAt = -Infinity;
  server.on('drop', () => {
    dropped++;
    if (performance.now() - reportedAt < dropReportMs) return;
    logger.warn({ limit, dropped }, 'Connections beyond MAX_CONNECTIONS were closed');
    reportedAt = performance.now();
    dropped = 0;
  });
}

/** Bounds connections by closing the one that has been idle longest, so that there is always room for a probe. */
export function closeOldestIdle({ server }: FastifyInstance, limit: number): void {
  let open = 0;
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  server.on('connection', (socket) => {
    open += 1;
    idle.add(socket);
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
    });
    const [oldest] = idle;
    if (open > limit) oldest?.destroy();
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}

/**
 * Closes a connection that takes no bytes of its response for so long, in milliseconds: what is held for it would
 * stay in memory (rule HTTP-21). One on which a request is still waited for holds nothing.
 */
export function endUnreadResponses({ server }: FastifyInstance, timeoutMs: number): void {
  server.on('request', ({ socket }, response) => {
    response.setTimeout(timeoutMs, () => {
      if (socket.writableLength > 0) socket.destroy();
    });
  });
}

interface Connection {
  readonly openedAt: number;
  /** Requests that have no complete response yet. */
  running: number;
  isNew: boolean;
}

/** The connections of a server, and what is running on them. */
export class Connections {
  private readonly connections = new Map<Socket, Connection>();
  private accepted = 0;
  private isHolding = false;
  private isClosing = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.accepted++;
      // Only after the start of reading, which the HTTP server has put off to here.
      if (this.isHolding) process.nextTick(() => socket.pause());
      this.connections.set(socket, { openedAt: performance.now(), running: 0, isNew: true });
      socket.once('close', () => this.connections.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      const connection = this.connections.get(socket);
      if (connection === undefined) return;
      connection.isNew = false;
      connection.running++;
      response.once('close', () => {
        connection.running--;
        if (this.isClosing) this.closeUnused(socket);
      });
    });
  }

  /** Whether more than one request on a connection has no complete response yet. */
  runsMore(socket: Socket): boolean {
    return (this.connections.get(socket)?.running ?? 0) > 1;
  }

  /**
   * Stops listening when nobody waits to be accepted, and closes each connection when what was sent
   * on it has its response.
   */
  async close(): Promise<void> {
    // Without work of their own, clients stop coming and the listener's queue runs empty.
    this.isHolding = true;
    for (const socket of this.connections.keys()) socket.pause();
    await this.settled();
    await this.quiet();
    this.isHolding = false;
    this.isClosing = true;
    // The method of the HTTP server would also cut connections whose request was not read yet.
    const closed = new Promise((resolve) => TcpServer.prototype.close.call(this.server, resolve));
    for (const socket of this.connections.keys()) socket.resume();
    // In the first turn reading begins, in the second all that has arrived is read.
    await nextTurn();
    await nextTurn();
    for (const [socket, { isNew, openedAt }] of this.connections) {
      const rest = isNew ? firstRequestMs - (performance.now() - openedAt) : 0;
      if (rest > 0) setTimeout(() => this.closeUnused(socket), rest);
      else this.closeUnused(socket);
    }
    await closed;
  }

  private closeUnused(socket: Socket): void {
    if (this.connections.get(socket)?.running === 0) socket.destroySoon();
  }

  /** Waits until the clients of what was running have their responses, and hold a connection again or have gone. */
  private async settled(): Promise<void> {
    const startedAt = performance.now();
    for (let changedAt = startedAt, { accepted } = this; ; { accepted } = this) {
      await delay(returnMs / 10);
      const now = performance.now();
      const isRunning = [...this.connections.values()].some(({ running }) => running > 0);
      if (isRunning || accepted !== this.accepted) changedAt = now;
      if (now - changedAt >= returnMs || now - startedAt >= maxReturnWaitMs) return;
    }
  }

  /**
   * Waits for a short turn of the event loop that accepts nothing: the operating system holds no
   * connection then that a listener would reset by closing. What counts as short grows with time.
   */
  private async quiet(): Promise<void> {
    const startedAt = performance.now();
    for (let turnedAt = startedAt, { accepted } = this; ; { accepted } = this) {
      await nextTurn();
      const now = performance.now();
      const isShort = now - turnedAt < (now - startedAt) / 100;
      if ((isShort && accepted === this.accepted) || now - startedAt > maxQuietWaitMs) return;
      turnedAt = now;
    }
  }
}
