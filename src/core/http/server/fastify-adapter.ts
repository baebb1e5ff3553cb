import compress from '@fastify/compress';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Environment } from '../../configuration/environment.js';
import { defaultLanguage } from '../../localization/language.js';
import { maxExternalIdLength } from '../../values/text.js';
import { trustProxyOption } from '../requests/client-address.js';
import { brotliOptions, encodings } from '../responses/compression.js';
import { Connections, unparsableResponse } from './connections.js';
import { requestIdFor, setContext } from '../requests/request-context.js';
import { logResponse, logUnparsableRequest, requestLogger } from './request-log.js';
import { refuseUnknownRoutes } from './unknown-routes.js';

/** Fastify counts UTF-16 code units after decoding; a character has at most two. */
const maxPathParameterLength = 2 * maxExternalIdLength;

/** The library's default does not compress NDJSON. */
const compressedTypes = /^text\/(?!event-stream)|[+/](?:x-nd)?json(?:;|$)|[+/](?:text|xml)(?:;|$)/;

export interface AdapterOptions {
  readonly environment: Environment;
  readonly logger: Logger;
}

/** Drops what a handler returns after the deadline has sent a 503. */
class ServiceAdapter extends FastifyAdapter {
  override reply(...[response, body, status]: Parameters<FastifyAdapter['reply']>): FastifyReply {
    const isOverdue = 'request' in response && response.request.isOverdue;
    return isOverdue ? response : super.reply(response, body, status);
  }
}

export async function createHttpServer(options: AdapterOptions) {
  const connections = newConnections(options, () => fastify);
  const adapter = newAdapter(options, connections);
  const fastify = adapter.getInstance<FastifyInstance>();
  const refuseOtherMethods = refuseUnknownRoutes(fastify);
  handOnBodies(fastify);
  await fastify.register(compress, {
    encodings: [...encodings],
    customTypes: compressedTypes,
    // The size of a decompressed body would be unlimited.
    globalDecompression: false,
    brotliOptions,
  });
  return { adapter, connections, refuseOtherMethods };
}

/** Guards judge first; then an interceptor reads the body, whatever its type. */
export function handOnBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  fastify.decorateRequest('verifyRawBody', null);
}

function newConnections(
  { environment, logger }: AdapterOptions,
  fastify: () => FastifyInstance,
): Connections {
  const { REQUEST_TIMEOUT_MS } = environment;
  return new Connections({
    http: {
      maxHeaderSize: environment.HEADER_LIMIT_BYTES,
      // A timeout may fire up to one interval late.
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 10,
    },
    keepAliveTimeout: environment.IDLE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    writeTimeout: environment.WRITE_TIMEOUT_MS,
    limit: environment.MAX_CONNECTIONS,
    logger,
    unparsableResponse: (error) => {
      const { status, headers, body } = fastify().errorResponses.responseTo(error, defaultLanguage);
      const id = requestIdFor({ headers: {} });
      logUnparsableRequest(logger, id, status);
      return unparsableResponse(status, { ...headers, 'x-request-id': id }, JSON.stringify(body));
    },
  });
}

function newAdapter(
  { environment, logger }: AdapterOptions,
  connections: Connections,
): FastifyAdapter {
  const responseLog = requestLogger(logger);
  return new ServiceAdapter({
    loggerInstance: logger,
    // A logger for each request would cost more than its one line.
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIdFor,
    trustProxy: trustProxyOption(environment),
    routerOptions: { maxParamLength: maxPathParameterLength },
    ...connections.serverOptions,
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const refusal = connections.refusalOf(request.raw);
      if (refusal === null) {
        reply.hijack();
        return;
      }
      setContext(request, reply);
      reply.raw.once('close', () => logResponse(responseLog, request, reply));
      connections.beforeResponse(request.raw, reply, () =>
        request.server.errorResponses.respond(refusal ?? error, request, reply),
      );
    },
    skipMiddie: true,
  });
}
