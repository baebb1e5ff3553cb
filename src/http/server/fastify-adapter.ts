import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Environment } from '../../configuration/environment.js';
import { parseLanguage } from '../../localization/language.js';
import { addEntityTags } from './entity-tag.js';
import { announcesBody, drainBeforeEarlyAnswers } from './early-answers.js';
import { externalIdLimit } from '../../values/text.js';
import { parseJsonBody } from '../validation/json-body.js';
import { addRequestContext, requestId, setContextHeaders } from './request-context.js';
import { addRequestLog } from './request-log.js';

/** Longest path parameter after decoding in UTF-16 code units, of which a character has up to two. */
const pathParameterLimit = 2 * externalIdLimit;

/** Quick, and with a window of 256 KB: by default each answer under way would take 8 MB and more. */
const brotliParameters = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_LGWIN]: 18,
};

/** Answers an error that Fastify meets before it has found a route. */
export type FrameworkErrorHandler = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => void;

/** What an adapter is made from. */
export interface AdapterOptions {
  readonly environment: Environment;
  readonly logger: Logger;
  readonly onFrameworkError: FrameworkErrorHandler;
}

/** Fastify, set up as "All endpoints" asks: limits, one body parser, request ids, security headers. */
export async function createFastifyAdapter(options: AdapterOptions): Promise<FastifyAdapter> {
  const { environment, logger, onFrameworkError } = options;
  const adapter = new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestId,
    bodyLimit: environment.BODY_LIMIT_BYTES,
    trustProxy: trustProxy(environment),
    routerOptions: { maxParamLength: pathParameterLimit },
    requestTimeout: environment.REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: environment.REQUEST_TIMEOUT_MS,
      requestTimeout: environment.REQUEST_TIMEOUT_MS,
      // How late a timeout may be noticed.
      connectionsCheckingInterval: environment.REQUEST_TIMEOUT_MS / 10,
    },
    // The shutdown closes connections itself, after their last answer.
    return503OnClosing: false,
    forceCloseConnections: false,
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      request.language = parseLanguage(request.headers['language']);
      setContextHeaders(request, reply);
      onFrameworkError(error, request, reply);
    },
    clientErrorHandler: answerUnreadableRequest,
    // No feature uses middleware, and without it routing is one step.
    skipMiddie: true,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  addRequestContext(fastify);
  addRequestLog(fastify);
  addEntityTags(fastify);
  acceptJsonOnly(fastify, environment.JSON_DEPTH_LIMIT);
  await fastify.register(compress, {
    encodings: ['br', 'gzip'],
    // Requests are taken as they are: what they unpack to has no limit.
    globalDecompression: false,
    brotliOptions: { params: brotliParameters },
  });
  drainBeforeEarlyAnswers(fastify);
  ignoreExpectations(fastify);
  await fastify.register(helmet, { contentSecurityPolicy: false });
  return adapter;
}

/** A number trusts that many proxies in front of the service, counted from the nearest. */
function trustProxy({ TRUST_PROXY: trusted }: Environment) {
  if (typeof trusted !== 'number') return trusted;
  return (_address: string, hop: number) => hop < trusted;
}

function acceptJsonOnly(fastify: FastifyInstance, depthLimit: number): void {
  fastify.removeAllContentTypeParsers();
  fastify.addHook('onRequest', ({ method, raw }, _reply, done) => {
    // Clients that set the header on every request send a DELETE without a body.
    if (method === 'DELETE' && !announcesBody(raw)) delete raw.headers['content-type'];
    done();
  });
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      // It may have been announced all the same.
      if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
      try {
        done(null, parseJsonBody(body, depthLimit));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/** Answers as if nothing had been expected, which Node refuses with 417 and nothing else. */
function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** What is told of a request that never reaches a route, by the code of its error. */
const unreadableRequests: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
};
const unreadable = [400, 'The request could not be understood'] as const;

/** Bytes that are no HTTP request, are too many or too slow, never reach a route. */
function answerUnreadableRequest(error: Error & { code?: string }, socket: Socket): void {
  const response = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage;
  if (error.code === 'ECONNRESET' || socket.destroyed || response?.headersSent) {
    socket.destroy();
    return;
  }
  const [status, message] = unreadableRequests[error.code ?? ''] ?? unreadable;
  const reason = STATUS_CODES[status];
  const body = JSON.stringify({ statusCode: status, message, error: reason });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Content-Type: application/json\r\nX-Request-Id: ${requestId({ headers: {} })}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
