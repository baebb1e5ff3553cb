import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onSendHookHandler,
} from 'fastify';
import { Long } from 'mongodb';
import type { Logger } from 'pino';
import type { Environment } from '../../configuration/environment.js';
import { parseLanguage } from '../../localization/language.js';
import { endUnreadResponses, limitConnections } from './connections.js';
import { addEntityTags } from './entity-tag.js';
import {
  checkAnnouncedBodies,
  rejectUnknownRoutes,
  rejectAmbiguousFraming,
  requireOneHost,
  takeExpectations,
} from './early-checks.js';
import { announcesBody } from './bodies.js';
import { drainBeforeEarlyResponses } from './early-responses.js';
import { externalIdLimit } from '../../values/text.js';
import { fieldsOf } from '../validation/field.js';
import { parseJsonBody } from '../validation/json-body.js';
import { addRequestContext, requestId, setContextHeaders } from './request-context.js';
import { ignoreBehindLastResponse } from './last-responses.js';
import { addRequestDeadline } from './request-deadline.js';
import { addRequestLog, logResponse } from './request-log.js';
import { routeOptionsOf } from './route-options.js';
import { respondToUnparsableRequest, watchBodies } from './unparsable-requests.js';

/** Longest path parameter after decoding in UTF-16 code units, of which a character has up to two. */
const pathParameterLimit = 2 * externalIdLimit;

/** Quick, and with a window of 256 KB: by default each response in progress would take 8 MB and more. */
const brotliParameters = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_LGWIN]: 18,
};

/** What the library compresses by default, and NDJSON. */
const compressedTypes = /^text\/(?!event-stream)|[+/](?:x-nd)?json(?:;|$)|[+/](?:text|xml)(?:;|$)/;

export interface AdapterOptions {
  readonly environment: Environment;
  readonly logger: Logger;
}

/** Sends no second response where the deadline has sent one, and leaves its status, which the log reads. */
class ServiceAdapter extends FastifyAdapter {
  override status(...[response, status]: Parameters<FastifyAdapter['status']>): void {
    if (!('sent' in response && response.sent)) super.status(response, status);
  }

  override reply(...[response, body, status]: Parameters<FastifyAdapter['reply']>): FastifyReply {
    return 'sent' in response && response.sent ? response : super.reply(response, body, status);
  }
}

/** Fastify with the limits, the body parser, the request ids and the headers of all endpoints. */
export async function createFastifyAdapter(options: AdapterOptions): Promise<FastifyAdapter> {
  const { environment, logger } = options;
  const adapter = newAdapter(options);
  const fastify = adapter.getInstance<FastifyInstance>();
  limitConnections(fastify, logger, environment.MAX_CONNECTIONS);
  endUnreadResponses(fastify, environment.WRITE_TIMEOUT_MS);
  ignoreBehindLastResponse(fastify);
  watchBodies(fastify);
  addRequestContext(fastify);
  addRequestLog(fastify, logger);
  requireOneHost(fastify);
  rejectAmbiguousFraming(fastify);
  rejectUnknownRoutes(fastify);
  checkAnnouncedBodies(fastify, environment.BODY_LIMIT_BYTES);
  addRequestDeadline(fastify, environment.DATABASE_DEADLINE_MS);
  addEntityTags(fastify);
  acceptJsonOnly(fastify, environment.JSON_DEPTH_LIMIT);
  omitLengthsBeforeCompression(fastify);
  await fastify.register(compress, {
    encodings: ['br', 'gzip'],
    customTypes: compressedTypes,
    // Requests are taken as they are: what they unpack to has no limit.
    globalDecompression: false,
    brotliOptions: { params: brotliParameters },
  });
  drainBeforeEarlyResponses(fastify);
  takeExpectations(fastify);
  return adapter;
}

/** A HEAD has no body that could be compressed: its length would not be that of the response to a GET. */
function omitLengthsBeforeCompression(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') return;
    // Behind the framework's own, which sets it.
    route.onSend = [route.onSend ?? [], omitLength].flat();
  });
}

const omitLength: onSendHookHandler = (request, reply, payload, done) => {
  if (request.headers['accept-encoding'] !== undefined) reply.removeHeader('content-length');
  done(null, payload);
};

function newAdapter({ environment, logger }: AdapterOptions): FastifyAdapter {
  const adapter: FastifyAdapter = new ServiceAdapter({
    loggerInstance: logger,
    // `addRequestLog` logs responses.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestId,
    bodyLimit: environment.BODY_LIMIT_BYTES,
    trustProxy: trustProxy(environment),
    routerOptions: { maxParamLength: pathParameterLimit },
    requestTimeout: environment.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: environment.IDLE_TIMEOUT_MS,
    http: {
      maxHeaderSize: environment.HEADER_LIMIT_BYTES,
      // Rejected with the usual body instead.
      requireHostHeader: false,
      headersTimeout: environment.REQUEST_TIMEOUT_MS,
      requestTimeout: environment.REQUEST_TIMEOUT_MS,
      // How late a timeout may be noticed.
      connectionsCheckingInterval: environment.REQUEST_TIMEOUT_MS / 10,
    },
    // The shutdown closes connections itself, after their last response.
    return503OnClosing: false,
    forceCloseConnections: false,
    // Met before there is a route.
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      request.receivedAt = performance.now();
      request.language = parseLanguage(request.headers['language']);
      setContextHeaders(request, reply);
      reply.raw.once('close', () => logResponse(logger, request, reply));
      request.server.errorFilter.respond(error, request, reply);
    },
    clientErrorHandler: (error, socket) =>
      respondToUnparsableRequest({ logger, fastify: adapter.getInstance() }, error, socket),
    // No feature uses middleware, and without it routing is one step.
    skipMiddie: true,
  });
  return adapter;
}

/** Whose `X-Forwarded-*` headers count, as Fastify takes it: a number is that of the proxies, from the nearest. */
export function trustProxy({ TRUST_PROXY: trusted }: Environment) {
  if (typeof trusted !== 'number') return trusted;
  return (_address: string, hop: number) => hop < trusted;
}

const toInteger = (integer: bigint) => Long.fromBigInt(integer);

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
      // Its headers may have announced one.
      if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
      try {
        const { envelopeDepth = 0, inexactNumber, readsOnly } = routeOptionsOf(request);
        const fields = readsOnly && fieldsOf(readsOnly);
        const rules = { depthLimit: depthLimit + envelopeDepth, toInteger, inexactNumber, fields };
        done(null, parseJsonBody(body, rules));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}
