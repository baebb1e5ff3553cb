import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { DomainError, type ErrorDefinition } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { drainBody, isIncomplete, untilClientPauses } from './request-checks.js';

/** While this many requests wait, the socket is not read. */
const maxPipelinedRequests = 100;
/** Node would warn of a leak beyond ten listeners. */
const maxCloseListeners = 20;
/** Clients may still write this long after the server has ended the connection. */
const lingerMs = 2_000;

const parserErrors: Readonly<Record<string, ErrorDefinition>> = {
  HPE_HEADER_OVERFLOW: httpErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: httpErrors.requestTimeout,
};

export interface ConnectionRules {
  readonly handle: RequestListener;
  /** New requests wait while this is true. */
  readonly holdsRequests: () => boolean;
  readonly writeTimeoutMs: number;
  readonly unparsableResponse: (error: DomainError) => string;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Runs requests one at a time, in order. Every request that runs gets its response; none runs after a response that
 * closes the connection (RFC 9112, 9.3.2 and 9.6).
 */
export class Connection {
  private readonly exchanges: Exchange[] = [];
  private isRunningExchange = false;
  private hasHadRequest = false;
  /** If it is true, later requests would get no response, so they must not run. */
  private ignoresFurtherRequests = false;
  private parserError: DomainError | undefined;
  private pendingReply: FastifyReply | undefined;
  private endedAt = performance.now();

  constructor(
    private readonly socket: Socket,
    private readonly rules: ConnectionRules,
  ) {}

  get isRunning(): boolean {
    return this.isRunningExchange;
  }

  /** Time of `performance.now()`; undefined while a request runs or waits. */
  get idleSince(): number | undefined {
    return this.exchanges.length === 0 ? this.endedAt : undefined;
  }

  /** Age of a connection that has sent no request; undefined after the first one. */
  get unusedMs(): number | undefined {
    return this.hasHadRequest ? undefined : performance.now() - this.endedAt;
  }

  get isLastExchange(): boolean {
    return this.exchanges.length <= 1;
  }

  get isEnding(): boolean {
    return this.ignoresFurtherRequests && this.isLastExchange;
  }

  receive(exchange: Exchange): void {
    if (this.ignoresFurtherRequests) return;
    this.exchanges.push(exchange);
    this.hasHadRequest = true;
    // The parser resumes the socket at the end of this request.
    if (this.exchanges.length >= maxPipelinedRequests) process.nextTick(() => this.socket.pause());
    this.runNext();
  }

  runNext(): void {
    const [exchange] = this.exchanges;
    if (exchange === undefined || this.isRunningExchange || this.rules.holdsRequests()) return;
    const { request, response } = exchange;
    this.isRunningExchange = true;
    response.setMaxListeners(maxCloseListeners);
    response.once('close', () => this.endExchange());
    response.setTimeout(this.rules.writeTimeoutMs, () => {
      if (this.socket.writableLength > 0) this.socket.destroy();
    });
    this.rules.handle(request, response);
    this.rejectBody();
  }

  setPendingReply(reply: FastifyReply): void {
    this.pendingReply = reply;
  }

  /** Closing the socket while the client writes would reset it and lose this and earlier responses. */
  async prepareResponse(request: IncomingMessage): Promise<void> {
    this.pendingReply = undefined;
    if (isIncomplete(request) && this.parserError === undefined) await drainBody(request);
    if (isIncomplete(request)) this.closeAfterResponse();
    if (this.isEnding) await untilClientPauses(request);
  }

  closeAfterResponse(): void {
    this.ignoresFurtherRequests = true;
    this.dropWaiting();
  }

  closeWhenIdle(): void {
    this.ignoresFurtherRequests = true;
    if (this.exchanges.length === 0) this.socket.destroySoon();
    else this.runNext();
  }

  dropWaiting(): void {
    this.exchanges.length = Math.min(this.exchanges.length, 1);
  }

  /** Responds to malformed, oversized or slow input after all earlier requests (rule HTTP-24). */
  rejectMalformedInput(error: Error & { code?: string }): void {
    if (error.code === 'ECONNRESET') {
      this.socket.destroy();
      return;
    }
    // Node reports an error for every further piece of the input.
    if (this.parserError !== undefined) return;
    this.parserError = new DomainError(parserErrors[error.code ?? ''] ?? httpErrors.badRequest);
    if (this.exchanges.length > 0) this.rejectBody();
    else this.sendParserError(this.parserError);
  }

  private endExchange(): void {
    this.exchanges.shift();
    this.isRunningExchange = false;
    this.pendingReply = undefined;
    this.endedAt = performance.now();
    if (this.socket.writableEnded || this.socket.destroyed) {
      this.ignoresFurtherRequests = true;
      this.exchanges.length = 0;
      return;
    }
    if (this.exchanges.length < maxPipelinedRequests) this.socket.resume();
    if (this.exchanges.length > 0) this.runNext();
    else if (this.parserError !== undefined) this.sendParserError(this.parserError);
    else if (this.ignoresFurtherRequests) this.socket.destroySoon();
  }

  /** If the bad bytes are in the body of the running request, their error becomes its response. */
  private rejectBody(): void {
    const { parserError, pendingReply } = this;
    const [exchange] = this.exchanges;
    if (exchange === undefined || !this.isLastExchange || exchange.request.complete) return;
    if (parserError === undefined || pendingReply === undefined) return;
    this.ignoresFurtherRequests = true;
    const { request } = exchange;
    if (request.listenerCount('error') > 0) request.emit('error', parserError);
    else void pendingReply.send(parserError);
  }

  private sendParserError(error: DomainError): void {
    const { socket, rules } = this;
    if (socket.writableEnded) return;
    this.ignoresFurtherRequests = true;
    socket.end(rules.unparsableResponse(error));
    // Unread bytes would reset the connection and lose its last responses.
    socket.resume().once('end', () => socket.destroySoon());
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }
}
