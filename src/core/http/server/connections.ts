import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createListener, type ListenOptions, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { DomainError } from '../errors/domain-error.js';
import { Connection, type ConnectionRules } from './connection.js';
import { ambiguityError } from './request-checks.js';

const dropReportMs = 10_000;

/** During a shutdown, a new connection has this long to send its first request. */
const maxFirstRequestMs = 250;
/** During a shutdown, pipelined requests get responses for this long. */
const maxPipelineMs = 2_000;
/** Most clients send their next request within this time. */
const reconnectMs = 50;
const maxReconnectWaitMs = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** True once a response is chosen, which may wait until the client has stopped writing. */
    hasResponse: boolean;
  }
}

export interface ConnectionOptions extends Pick<
  ConnectionRules,
  'writeTimeoutMs' | 'unparsableResponse'
> {
  readonly http: ServerOptions;
  readonly limit: number;
  /** A server without a logger makes room by closing the longest-idle connection. */
  readonly logger?: Logger;
}

export class Connections {
  /** Closing this listener stops accepting without cutting connections. */
  private readonly listener = createListener();
  private readonly open = new Map<Socket, Connection>();
  private server!: Server;
  private accepted = 0;
  private isDraining = false;
  private holdsRequests = false;

  constructor(private readonly options: ConnectionOptions) {}

  get serverOptions() {
    return {
      serverFactory: (handle: RequestListener) => this.createServer(handle),
      clientErrorHandler: (error: Error, socket: Socket) =>
        this.rejectMalformedInput(error, socket),
      // Connections close after their last response.
      return503OnClosing: false,
      forceCloseConnections: false,
    };
  }

  addTo(fastify: FastifyInstance): void {
    fastify.decorateRequest('hasResponse', false);
    fastify.addHook('onRequest', ({ raw }, reply, done) => {
      this.open.get(raw.socket)?.setPendingReply(reply);
      done();
    });
    fastify.addHook('onSend', async (request, reply, payload) => {
      request.hasResponse = true;
      const connection = this.open.get(request.raw.socket);
      await connection?.prepareResponse(request.raw);
      const isLast =
        connection?.isEnding === true || (this.isDraining && connection?.isLastExchange);
      if (isLast === true) void reply.header('connection', 'close');
      // Fastify closes the connection after each body that it could not parse.
      else if (reply.hasHeader('connection')) void reply.removeHeader('connection');
      return payload;
    });
    fastify.addHook('preClose', () => this.close());
  }

  /** A proxy could read such a request differently and be tricked by it (rules HTTP-19 and HTTP-24). */
  rejectAmbiguousRequests(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ raw }, _reply, done) => {
      const error = ambiguityError(raw);
      if (error === undefined) return done();
      this.open.get(raw.socket)?.closeAfterResponse();
      done(new DomainError(error));
    });
  }

  async listen(options: ListenOptions): Promise<void> {
    await once(this.listener.listen(options), 'listening');
    await once(this.server.listen(this.listener), 'listening');
  }

  /** Closes each connection with its next response, then the listener: load balancers react late (rule HTTP-13). */
  async drain(milliseconds: number): Promise<void> {
    this.isDraining = true;
    await delay(milliseconds);
    this.holdsRequests = true;
    await this.untilSettled();
    await this.close();
  }

  /** Stops accepting and closes each connection after the requests that have already arrived. */
  async close(): Promise<void> {
    this.listener.close();
    this.isDraining = true;
    this.holdsRequests = false;
    const closed = [...this.open.keys()].map(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    );
    for (const connection of this.open.values()) {
      const { unusedMs = maxFirstRequestMs } = connection;
      if (unusedMs >= maxFirstRequestMs) connection.closeWhenIdle();
      else setTimeout(() => connection.closeWhenIdle(), maxFirstRequestMs - unusedMs);
    }
    const timer = setTimeout(() => {
      for (const connection of this.open.values()) connection.dropWaiting();
    }, maxPipelineMs);
    await Promise.all(closed);
    clearTimeout(timer);
    this.server.close();
  }

  destroy(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }

  private createServer(handle: RequestListener): Server {
    const { http, limit, logger, ...rest } = this.options;
    const rules = { ...rest, handle, holdsRequests: () => this.holdsRequests };
    const receive = (request: IncomingMessage, response: ServerResponse) =>
      this.open.get(request.socket)?.receive({ request, response });
    this.server = createServer(http, receive);
    if (logger) limitConnections(limit, this.server, logger);
    // By default, Node responds to `Expect` itself and cuts a running response on `CONNECT`.
    this.server.on('checkContinue', receive).on('checkExpectation', receive);
    this.server.on('connect', ({ socket }) => {
      socket.on('error', () => socket.destroy());
      this.rejectMalformedInput(new Error('CONNECT'), socket);
    });
    return this.server.on('connection', (socket) => this.accept(socket, rules));
  }

  private rejectMalformedInput(error: Error, socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined || socket.destroyed) socket.destroy();
    else connection.rejectMalformedInput(error);
  }

  private accept(socket: Socket, rules: ConnectionRules): void {
    this.accepted += 1;
    this.open.set(socket, new Connection(socket, rules));
    socket.once('close', () => this.open.delete(socket));
    if (this.open.size > this.options.limit) this.closeLongestIdle();
  }

  private closeLongestIdle(): void {
    let oldest: { socket: Socket; idleSince: number } | undefined;
    for (const [socket, { idleSince = Infinity }] of this.open) {
      if (idleSince < (oldest?.idleSince ?? Infinity)) oldest = { socket, idleSince };
    }
    oldest?.socket.destroy();
  }

  private async untilSettled(): Promise<void> {
    const startedAt = performance.now();
    for (let changedAt = startedAt, { accepted } = this; ; { accepted } = this) {
      await delay(reconnectMs / 10);
      const now = performance.now();
      const isRunning = [...this.open.values()].some((connection) => connection.isRunning);
      if (isRunning || accepted !== this.accepted) changedAt = now;
      if (now - changedAt >= reconnectMs || now - startedAt >= maxReconnectWaitMs) return;
    }
  }
}

function limitConnections(limit: number, server: Server, logger: Logger): void {
  server.maxConnections = limit;
  let dropped = 0;
  let reportedAt = -Infinity;
  server.on('drop', () => {
    dropped++;
    if (performance.now() - reportedAt < dropReportMs) return;
    logger.warn({ limit, dropped }, 'Closed connections beyond MAX_CONNECTIONS');
    reportedAt = performance.now();
    dropped = 0;
  });
}

export function unparsableResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
