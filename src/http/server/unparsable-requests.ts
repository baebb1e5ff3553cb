import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { defaultLanguage } from '../../localization/language.js';
import { DomainError } from '../errors/domain-error.js';
import type { ErrorDefinition } from '../errors/error-definition.js';
import { errorResponse } from '../errors/error-response.js';
import { httpErrors } from '../errors/http-errors.js';
import { requestId } from './request-context.js';
import { logUnparsableRequest } from './request-log.js';

/** What Node could not read to its end, by the code of its error. */
const unparsableRequestErrors: Readonly<Record<string, ErrorDefinition>> = {
  HPE_HEADER_OVERFLOW: httpErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: httpErrors.requestTimeout,
};

/** What Node calls the response that a connection is at. */
type ServedSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Also while requests before such bytes are served. */
const unparsable = new WeakMap<Socket, DomainError>();

/** Why the rest of a request will not be read; undefined for one that is whole, or may still come. */
export function unparsableRest({ complete, socket }: IncomingMessage): DomainError | undefined {
  return complete ? undefined : unparsable.get(socket);
}

/** Rejects requests whose body failed before it was read. */
export function rejectUnparsableBodies(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', ({ raw }, _reply, payload, done) => {
    done(unparsableRest(raw) ?? null, payload);
  });
}

/**
 * Responds to bytes that are no HTTP request, are too many or too slow. Requests before them on the
 * connection get their responses first: theirs is not the fault (rule HTTP-24).
 */
export function respondToUnparsableRequest(
  logger: Logger,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy();
    return;
  }
  // More of such bytes may come while the requests before them are served.
  if (unparsable.has(socket)) return;
  const failure = new DomainError(
    unparsableRequestErrors[error.code ?? ''] ?? httpErrors.badRequest,
  );
  unparsable.set(socket, failure);
  afterEarlierResponses(socket, () => sendUnparsableResponse(logger, failure, socket));
}

function afterEarlierResponses(socket: ServedSocket, respond: () => void): void {
  const { _httpMessage: response } = socket;
  if (!response?.req.complete) return respond();
  response.once('close', () => afterEarlierResponses(socket, respond));
}

function sendUnparsableResponse(logger: Logger, failure: DomainError, socket: ServedSocket): void {
  const { _httpMessage: response, destroyed, writableEnded } = socket;
  if (destroyed || response?.headersSent) {
    socket.destroy();
    return;
  }
  if (writableEnded) return;
  if (response) {
    // Its headers had arrived, and it is responded to like any other: now, or when its body is to be read.
    if (response.req.listenerCount('error') > 0) response.req.emit('error', failure);
    return;
  }
  const { status, headers, body } = errorResponse(failure, defaultLanguage);
  const text = JSON.stringify(body);
  const id = requestId({ headers: {} });
  logUnparsableRequest(logger, id, status);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `Content-Type: application/json\r\nX-Request-Id: ${id}\r\n` +
      `X-Error-Code: ${headers['x-error-code']}\r\nConnection: close\r\n\r\n${text}`,
  );
}
