import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { DomainError, type ErrorDefinition } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { waitUntilQuiet } from './request-checks.js';

/** Pipelined requests that wait before reading pauses. */
const maxWaiting = 100;
/** The log, traces, limits, the cache and the framework wait for the end of a response: more than Node's default of ten. */
const closeListeners = 20;
/** How long a client may still write after its connection was ended. */
const lingerMs = 2_000;

/** What Node's parser cannot read, by the code of its error; else it is a 400. */
const parserErrors: Readonly<Record<string, ErrorDefinition>> = {
  HPE_HEADER_OVERFLOW: httpErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: httpErrors.requestTimeout,
};

/** How a connection serves its requests. */
export interface ConnectionRules {
  readonly handle: RequestListener;
  /** Whether requests that have arrived wait. */
  readonly isHolding: () => boolean;
  /** How long the client may take no bytes of a response, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** The bytes of the response to bytes that never became a request. */
  readonly unparsableResponse: (error: DomainError) => string;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A connection with its requests in their order. The first one runs; each other one waits until the response
 * before it is complete and has left the connection open. So a request that is carried out gets its response, in
 * order, and none is carried out after a response that closes the connection (RFC 9112, 9.3.2 and 9.6).
 */
export class Connection {
  private readonly exchanges: Exchange[] = [];
  private isRunningFirst = false;
  private hasHadRequest = false;
  /** Requests that arrive from now on get no response, so they are not carried out. */
  private ignoresFurther = false;
  /** Why the bytes after the head of the last request could not be parsed. */
  private parserError: DomainError | undefined;
  /** Of the running request, until it is sent. */
  private undecided: FastifyReply | undefined;
  private endedAt = performance.now();

  constructor(
    private readonly socket: Socket,
    private readonly rules: ConnectionRules,
  ) {}

  get isRunning(): boolean {
    return this.isRunningFirst;
  }

  /** Since when no request has been running or waiting, by `performance.now()`; undefined while one is. */
  get idleSince(): number | undefined {
    return this.exchanges.length === 0 ? this.endedAt : undefined;
  }

  /** How long it has been open without a request, in milliseconds; undefined once there was one. */
  get unusedMs(): number | undefined {
    return this.hasHadRequest ? undefined : performance.now() - this.endedAt;
  }

  get hasParserError(): boolean {
    return this.parserError !== undefined;
  }

  /** Whether the response to the running request may be the last one: no other request waits for its own. */
  get isLastInLine(): boolean {
    return this.exchanges.length <= 1;
  }

  /** Whether the response to the running request has to close the connection. */
  get isEnding(): boolean {
    return this.ignoresFurther && this.isLastInLine;
  }

  receive(exchange: Exchange): void {
    if (this.ignoresFurther) return;
    this.exchanges.push(exchange);
    this.hasHadRequest = true;
    // Once the parser is done with this request, at whose end it resumes reading.
    if (this.exchanges.length >= maxWaiting) process.nextTick(() => this.socket.pause());
    this.runNext();
  }

  runNext(): void {
    const [exchange] = this.exchanges;
    if (exchange === undefined || this.isRunningFirst || this.rules.isHolding()) return;
    const { request, response } = exchange;
    this.isRunningFirst = true;
    response.setMaxListeners(closeListeners);
    response.once('close', () => this.proceed());
    response.setTimeout(this.rules.writeTimeoutMs, () => {
      if (this.socket.writableLength > 0) this.socket.destroy();
    });
    this.rules.handle(request, response);
    this.failBody();
  }

  /** To be called when the framework has taken the running request, and when its response is decided. */
  setUndecided(reply: FastifyReply | undefined): void {
    this.undecided = reply;
  }

  /** Makes the response to the running request the last one. */
  closeAfterResponse(): void {
    this.ignoresFurther = true;
    this.dropWaiting();
  }

  /** Closes once the requests that have arrived are answered. */
  finish(): void {
    this.ignoresFurther = true;
    if (this.exchanges.length === 0) this.socket.destroySoon();
    else this.runNext();
  }

  dropWaiting(): void {
    this.exchanges.length = Math.min(this.exchanges.length, 1);
  }

  /** Answers bytes that are no HTTP, are too many or too slow, after the requests before them (rule HTTP-24). */
  refuseBytes(error: Error & { code?: string }): void {
    if (error.code === 'ECONNRESET') {
      this.socket.destroy();
      return;
    }
    // Each further piece of such bytes is reported too.
    if (this.parserError !== undefined) return;
    this.parserError = new DomainError(parserErrors[error.code ?? ''] ?? httpErrors.badRequest);
    if (this.exchanges.length > 0) this.failBody();
    else this.sendWithoutRequest(this.parserError);
  }

  /** The running request has its response. */
  private proceed(): void {
    this.exchanges.shift();
    this.isRunningFirst = false;
    this.undecided = undefined;
    this.endedAt = performance.now();
    if (this.socket.writableEnded || this.socket.destroyed) {
      this.ignoresFurther = true;
      this.exchanges.length = 0;
      return;
    }
    if (this.exchanges.length < maxWaiting) this.socket.resume();
    if (this.exchanges.length > 0) this.runNext();
    else if (this.parserError !== undefined) this.sendWithoutRequest(this.parserError);
    else if (this.ignoresFurther) this.socket.destroySoon();
  }

  /** Where such bytes were to be the body of the running request, the response is that to the request. */
  private failBody(): void {
    const { parserError, undecided } = this;
    const [exchange] = this.exchanges;
    if (exchange === undefined || !this.isLastInLine || exchange.request.complete) return;
    if (parserError === undefined || undecided === undefined) return;
    this.ignoresFurther = true;
    const { request } = exchange;
    const isRead = () => request.listenerCount('error') > 0;
    // Whoever does not read the body may respond meanwhile.
    if (!isRead()) void undecided.send(parserError);
    else waitUntilQuiet(request, () => isRead() && request.emit('error', parserError));
  }

  private sendWithoutRequest(error: DomainError): void {
    const { socket, rules } = this;
    if (socket.writableEnded) return;
    this.ignoresFurther = true;
    socket.end(rules.unparsableResponse(error));
    socket.once('end', () => socket.destroySoon());
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }
}
