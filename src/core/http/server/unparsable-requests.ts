import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { defaultLanguage } from '../../localization/language.js';
import { DomainError } from '../errors/domain-error.js';
import type { ErrorDefinition } from '../errors/error-definition.js';
import { httpErrors } from '../errors/http-errors.js';
import { announcesBody } from './bodies.js';
import { makeLastResponse } from './last-responses.js';
import { requestId } from './request-context.js';
import { logUnparsableRequest } from './request-log.js';

/** What Node could not read to its end, by the code of its error. */
const unparsableRequestErrors: Readonly<Record<string, ErrorDefinition>> = {
  HPE_HEADER_OVERFLOW: httpErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: httpErrors.requestTimeout,
};

/** What Node calls the response that a connection is at. */
type ServedSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** A request whose body may fail, and its response. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Where such bytes are logged, and what makes their response. */
interface Unparsable {
  readonly logger: Logger;
  readonly fastify: FastifyInstance;
}

type BodyFailure = 'while it was read' | 'unread';

const exchanges = new WeakMap<IncomingMessage, Exchange>();
/** Also while requests before such bytes are served. */
const unparsable = new WeakSet<Socket>();

const failures = new WeakMap<IncomingMessage, BodyFailure>();

/** When the body of a request failed, if it has. */
export function bodyFailure(request: IncomingMessage): BodyFailure | undefined {
  return failures.get(request);
}

/** Remembers the requests that have bodies, for what comes behind their headers. To be added before any other. */
export function watchBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (announcesBody(request.raw)) exchanges.set(request.raw, { request, reply });
    done();
  });
}

/**
 * Responds to bytes that are no HTTP request, are too many or too slow. Requests before them on the
 * connection get their responses first: theirs is not the fault (rule HTTP-24).
 */
export function respondToUnparsableRequest(
  context: Unparsable,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy();
    return;
  }
  // More of such bytes may come while the requests before them are served.
  if (unparsable.has(socket)) return;
  unparsable.add(socket);
  const failure = new DomainError(
    unparsableRequestErrors[error.code ?? ''] ?? httpErrors.badRequest,
  );
  afterEarlierResponses(socket, () => respond(context, failure, socket));
}

function afterEarlierResponses(socket: ServedSocket, next: () => void): void {
  const { _httpMessage: response } = socket;
  if (!response?.req.complete) return next();
  response.once('close', () => afterEarlierResponses(socket, next));
}

function respond(context: Unparsable, failure: DomainError, socket: ServedSocket): void {
  const { _httpMessage: response, destroyed, writableEnded } = socket;
  if (destroyed) return;
  if (response?.headersSent) {
    // What was decided in this turn of the event loop is still written in it.
    setImmediate(() => {
      if (!response.writableEnded) socket.destroy();
    });
    return;
  }
  if (writableEnded) return;
  const exchange = response && exchanges.get(response.req);
  if (exchange) respondToBody(failure, exchange);
  else sendWithoutRequest(context, failure, socket);
}

/** Its headers had arrived: it is responded to like any other, whatever it waits for. */
function respondToBody(failure: DomainError, { request, reply }: Exchange): void {
  makeLastResponse(request, reply);
  // What was decided without the body stays.
  if (request.isDecided) return;
  const isRead = request.raw.listenerCount('error') > 0;
  failures.set(request.raw, isRead ? 'while it was read' : 'unread');
  if (isRead) request.raw.emit('error', failure);
  else request.server.errorFilter.respond(failure, request, reply);
}

/** Nothing else reads these bytes, so the response is written as it is. */
function sendWithoutRequest(
  { logger, fastify }: Unparsable,
  failure: DomainError,
  socket: Socket,
): void {
  const { responses } = fastify.errorFilter;
  const { status, headers, body } = responses.of(failure, defaultLanguage);
  const text = JSON.stringify(body);
  const id = requestId({ headers: {} });
  logUnparsableRequest(logger, id, status);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `Content-Type: application/json\r\nX-Request-Id: ${id}\r\n` +
      `X-Error-Code: ${headers['x-error-code']}\r\nConnection: close\r\n\r\n${text}`,
  );
}
