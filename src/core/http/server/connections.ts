import { once } from 'node:events';
import {
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer, type ListenOptions, type Socket } from 'node:net';
import { finished } from 'node:stream';
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { DomainError, type ErrorDefinition } from '../../errors/domain-error.js';
import { httpErrors } from '../../errors/http-errors.js';
import { hasBody } from './request-body.js';

const dropReportMs = 10_000;
/** During a shutdown, a new connection has this long to send its first request. */
const firstRequestMs = 250;
const holdMs = 100;
/** An unread body of a connection that closes is read for this long. */
const maxDrainMs = 2_000;
/** A malformed body has no end: it counts as sent once nothing has arrived for this long. */
const silenceMs = 50;
/** Clients may still write this long after the server has ended the connection. */
const lingerMs = 2_000;

const parserErrors: Readonly<Record<string, ErrorDefinition>> = {
  HPE_HEADER_OVERFLOW: httpErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: httpErrors.requestTimeout,
};

export interface ConnectionOptions {
  readonly http: Pick<ServerOptions, 'maxHeaderSize' | 'connectionsCheckingInterval'>;
  readonly keepAliveTimeout: number;
  readonly requestTimeout: number;
  readonly writeTimeout: number;
  readonly limit: number;
  /** A server without a logger makes room by closing the oldest connection without a request. */
  readonly logger?: Logger;
  /** Returns the whole response, from its status line on. */
  readonly unparsableResponse: (error: DomainError) => string;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface ConnectionState {
  readonly unfinished: Set<ServerResponse>;
  latest?: Exchange;
  /** Nothing that the client sends behind the latest request can be trusted, so it does not run. */
  endsWithLatest?: true;
  isMalformed?: true;
}

/** Why the rest of a body will never arrive. Its reader gets an `error` event, too. */
export const bodyFailures = new WeakMap<IncomingMessage, DomainError>();

/** Adds to Node and Fastify: a drain, a limit that is logged, and refusal of ambiguous framing. */
export class Connections {
  /** Closing this listener stops accepting without cutting connections. */
  private readonly listener = createServer();
  private readonly open = new Map<Socket, ConnectionState>();
  /** New requests run once it resolves. */
  hold: Promise<void> | undefined;
  private isDraining = false;
  private server!: Server;

  constructor(private readonly options: ConnectionOptions) {}

  get serverOptions() {
    const { http, keepAliveTimeout, requestTimeout } = this.options;
    return {
      http: {
        ...http,
        headersTimeout: requestTimeout,
        // The error needs the body of this API.
        requireHostHeader: false,
        // Java's client offers h2c with its first request (RFC 9110, 7.8: a server may ignore it).
        shouldUpgradeCallback: () => false,
      },
      keepAliveTimeout,
      requestTimeout,
      clientErrorHandler: (error: Error, socket: Socket) =>
        this.refuseMalformedInput(error, socket),
      // While the service drains, it still accepts; responses close their connections.
      return503OnClosing: false,
      forceCloseConnections: false,
    };
  }

  /** Hooks of the server must call {@link refusalOf} and {@link beforeResponse}, too. */
  attach(fastify: FastifyInstance): void {
    const { server } = fastify;
    this.server = server;
    const { limit, logger } = this.options;
    if (logger) limitConnections(limit, logger, server);
    const receive = (request: IncomingMessage, response: ServerResponse) =>
      server.emit('request', request, response);
    // By default, Node responds to `Expect` itself, before the key is checked, and cuts responses on `CONNECT`.
    server.on('checkContinue', receive).on('checkExpectation', receive);
    server.on('connect', ({ socket }) => {
      socket.on('error', () => socket.destroy());
      this.refuseMalformedInput(new Error('CONNECT'), socket);
    });
    server.on('connection', (socket) => {
      this.open.set(socket, { unfinished: new Set() });
      socket.once('close', () => this.forget(socket));
      if (!logger) this.makeRoom(limit);
    });
    server.prependListener('request', (request, response) => this.note({ request, response }));
    fastify.addHook('preClose', () => this.close());
  }

  /** Returns null for a request after the last one of its connection: it must not run. */
  refusalOf(request: IncomingMessage): DomainError | null | undefined {
    const connection = this.open.get(request.socket);
    if (connection?.latest !== undefined && connection.latest.request !== request) return null;
    const error = framingError(request);
    // Node drops what arrived together with an offer to upgrade, so the next bytes may be a body.
    const isLast = error !== undefined || request.headers.upgrade !== undefined;
    if (connection !== undefined && isLast) connection.endsWithLatest = true;
    return error && new DomainError(error);
  }

  /** Closes the connection with this response if it is the last one, then calls `done`. */
  beforeResponse(request: IncomingMessage, reply: FastifyReply, done: () => void): void {
    const isFailed = bodyFailures.has(request);
    const { latest, endsWithLatest = false } = this.open.get(request.socket) ?? {};
    // An earlier response must not close the connection of the later ones.
    const isLast = latest?.request === request && (this.isDraining || endsWithLatest);
    if (isFailed || isLast) reply.header('connection', 'close');
    reply.raw.setTimeout(this.options.writeTimeout);
    const isUnread = hasBody(request.headers) && !request.complete && !isFailed;
    // A response without a socket has lost its client.
    if (isFailed && reply.raw.socket !== null) afterSilence(reply.raw.socket, done);
    else if (isUnread && closesAfter(request, reply)) afterBody(request, done);
    else done();
  }

  async listen(options: ListenOptions): Promise<void> {
    await once(this.listener.listen(options), 'listening');
    await once(this.server.listen(this.listener), 'listening');
  }

  /**
   * Closes each connection with its next response, then the listener: load balancers react late (rule HTTP-13). The
   * system resets connections that wait for `accept`. While nobody gets a response, hardly any client connects.
   */
  async drain(milliseconds: number): Promise<void> {
    this.isDraining = true;
    await delay(milliseconds);
    const hold = Promise.withResolvers<void>();
    this.hold = hold.promise;
    await delay(holdMs);
    await immediate();
    this.listener.close();
    this.hold = undefined;
    hold.resolve();
    await delay(firstRequestMs);
  }

  /** Stops accepting, and closes each connection once its responses have been sent. */
  private async close(): Promise<void> {
    this.isDraining = true;
    this.listener.close();
    const closed = [...this.open].map(([socket, { unfinished }]) => {
      if (unfinished.size === 0) socket.destroySoon();
      return new Promise((resolve) => socket.once('close', resolve));
    });
    // Node would cut responses that are still being sent as idle connections.
    await Promise.all(closed);
  }

  private makeRoom(limit: number): void {
    const unused = [...this.open].filter(([, { latest }]) => latest === undefined);
    if (unused.length > limit) unused[0]?.[0].destroy();
  }

  private note(exchange: Exchange): void {
    const { request, response } = exchange;
    const { socket } = request;
    const connection = this.open.get(socket);
    if (connection === undefined || connection.endsWithLatest === true) return;
    connection.latest = exchange;
    const { unfinished } = connection;
    unfinished.add(response);
    response.once('close', () => {
      unfinished.delete(response);
      if (this.isDraining && unfinished.size === 0) socket.destroySoon();
    });
  }

  private forget(socket: Socket): void {
    const { unfinished = [] } = this.open.get(socket) ?? {};
    this.open.delete(socket);
    // Some versions of Node close only the response whose turn it is; the others would count as running forever.
    setImmediate(() => {
      for (const response of unfinished) response.emit('close');
    });
  }

  /** Responds to malformed, oversized or slow input after all earlier requests (rule HTTP-24). */
  private refuseMalformedInput(cause: Error & { code?: string }, socket: Socket): void {
    const connection = this.open.get(socket);
    // Node reports an error for every further piece of the input.
    if (connection === undefined || connection.isMalformed === true) return;
    connection.isMalformed = true;
    const error = new DomainError(parserErrors[cause.code ?? ''] ?? httpErrors.badRequest);
    const { request, response } = connection.latest ?? {};
    if (cause.code === 'ECONNRESET' || socket.destroyed) socket.destroy();
    else if (request === undefined || response === undefined) this.end(socket, error);
    else if (request.complete) {
      if (response.closed) this.end(socket, error);
      else response.once('close', () => this.end(socket, error));
    } else if (response.closed) socket.destroy();
    else {
      response.once('close', () => socket.destroySoon());
      bodyFailures.set(request, error);
      if (request.listenerCount('error') > 0) request.emit('error', error);
    }
  }

  private end(socket: Socket, error: DomainError): void {
    if (socket.writableEnded) return;
    socket.end(this.options.unparsableResponse(error));
    // Unread bytes would reset the connection and lose its last responses.
    socket.resume().once('end', () => socket.destroySoon());
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }
}

function closesAfter({ headers, httpVersion }: IncomingMessage, reply: FastifyReply): boolean {
  const connection = String(reply.getHeader('connection') ?? headers.connection ?? '');
  return httpVersion === '1.0' || /\bclose\b/i.test(connection);
}

/** Closing while the client still writes would reset the connection and lose the response (rule HTTP-18). */
function afterBody(body: IncomingMessage, done: () => void): void {
  // A client need not send a body that the server did not request.
  if (body.headers.expect !== undefined) return done();
  const timer = setTimeout(() => {
    stopWaiting();
    done();
  }, maxDrainMs);
  const stopWaiting = finished(body.resume(), () => {
    clearTimeout(timer);
    done();
  });
}

/** As {@link afterBody}, for a body whose end nobody can find. */
function afterSilence(socket: Socket, done: () => void): void {
  const deadline = performance.now() + maxDrainMs;
  let received = socket.bytesRead;
  const timer = setInterval(() => {
    const isSilent = socket.bytesRead === received || socket.readableEnded;
    received = socket.bytesRead;
    if (!isSilent && performance.now() < deadline) return;
    clearInterval(timer);
    done();
  }, silenceMs);
}

/** Another parser could frame or route such a request differently (rules HTTP-19 and HTTP-24). */
function framingError({ headers, rawHeaders, httpVersion }: IncomingMessage) {
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return httpErrors.hostRequired;
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined) return undefined;
  const isChunked = encoding.trim().toLowerCase() === 'chunked' && httpVersion !== '1.0';
  return isChunked ? undefined : httpErrors.badRequest;
}

/** Node keeps only the first one in `headers`. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

function limitConnections(limit: number, logger: Logger, server: Server): void {
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
