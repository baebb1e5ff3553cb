import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onSendHookHandler,
} from 'fastify';
import { Long } from 'mongodb';
import { createHash } from 'node:crypto';
import { constants } from 'node:zlib';
import type { Logger } from 'pino';
import type { Environment } from '../../configuration/environment.js';
import { readForwardedAddresses, trustProxyOption } from './client-address.js';
import { Connections, unparsableResponse } from './connections.js';
import { checkDeclaredBodies, hasBody, isIncomplete } from './request-checks.js';
import { addRequestContext, requestIdFor, setContextHeaders } from './request-context.js';
import { addRequestLog, logResponse, logUnparsableRequest } from './request-log.js';
import { routeOptionsOf } from './route-options.js';
import { rejectUnknownRoutes } from './unknown-routes.js';
import { fieldNamesOf } from '../../validation/dto-reader.js';
import { parseJsonBody } from '../validation/json-body.js';
import { defaultLanguage, parseLanguage } from '../../localization/language.js';
import { maxExternalIdLength } from '../../values/text.js';
import compress from '@fastify/compress';

/** Adds strong entity tags and 304 to reads that are sent as a whole (rule HTTP-10). */
export function addEntityTags(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    // Responses from the cache already have their tags.
    const hasTag = reply.hasHeader('etag');
    if (!isRead || !isWhole || hasTag || reply.statusCode !== 200) return done(null, payload);
    const tag = entityTag(payload, request);
    reply.header('etag', tag);
    if (!matchesTag(request.headers['if-none-match'], tag)) return done(null, payload);
    reply.status(304).removeHeader('content-type').removeHeader('content-length');
    // Fastify requires a body for a HEAD response and drops it before sending.
    return done(null, request.method === 'HEAD' ? payload : null);
  });
}

/** Each content encoding is a different representation. */
function entityTag(payload: string | Buffer, { headers }: FastifyRequest): string {
  const accepted = headers['accept-encoding'] ?? '';
  const digest = createHash('sha256').update(payload).update(`\0${accepted}`).digest('base64url');
  return `"${digest}"`;
}

function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const clientTags = new Set(header.split(',').map((part) => part.trim().replace(/^W\//, '')));
  return clientTags.has('*') || clientTags.has(tag);
}

/** Fastify counts UTF-16 code units after decoding; a character has at most two. */
const maxPathParameterLength = 2 * maxExternalIdLength;

/** The default window would take 8 MB for each response in progress; this one takes 256 KB. */
const brotliParameters = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_LGWIN]: 18,
};

/** The library's default does not compress NDJSON. */
const compressedTypes = /^text\/(?!event-stream)|[+/](?:x-nd)?json(?:;|$)|[+/](?:text|xml)(?:;|$)/;

export interface AdapterOptions {
  readonly environment: Environment;
  readonly logger: Logger;
}

/** Drops a handler's response after another one, such as the deadline's, so that the logged status stays. */
class ServiceAdapter extends FastifyAdapter {
  override status(...[response, status]: Parameters<FastifyAdapter['status']>): void {
    if (!hasResponse(response)) super.status(response, status);
  }

  override reply(...[response, body, status]: Parameters<FastifyAdapter['reply']>): FastifyReply {
    return hasResponse(response) ? response : super.reply(response, body, status);
  }
}

function hasResponse(response: Parameters<FastifyAdapter['reply']>[0]): response is FastifyReply {
  return 'request' in response && response.request.hasResponse;
}

export async function createHttpServer(options: AdapterOptions) {
  const { environment, logger } = options;
  const connections = newConnections(options, () => fastify);
  const adapter = newAdapter(options, connections);
  const fastify = adapter.getInstance<FastifyInstance>();
  connections.addTo(fastify);
  readForwardedAddresses(fastify);
  addRequestContext(fastify);
  addRequestLog(fastify, logger);
  connections.rejectAmbiguousRequests(fastify);
  const rejectOtherMethods = rejectUnknownRoutes(fastify);
  checkDeclaredBodies(fastify, environment.BODY_LIMIT_BYTES);
  addEntityTags(fastify);
  acceptJsonOnly(fastify, environment.JSON_DEPTH_LIMIT);
  omitLengthsBeforeCompression(fastify);
  await fastify.register(compress, {
    encodings: ['br', 'gzip'],
    customTypes: compressedTypes,
    // The size of a decompressed body would be unlimited.
    globalDecompression: false,
    brotliOptions: { params: brotliParameters },
  });
  return { adapter, connections, rejectOtherMethods };
}

function newConnections(
  { environment, logger }: AdapterOptions,
  fastify: () => FastifyInstance,
): Connections {
  const { MAX_CONNECTIONS, WRITE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } = environment;
  return new Connections({
    http: {
      maxHeaderSize: environment.HEADER_LIMIT_BYTES,
      requireHostHeader: false,
      keepAliveTimeout: environment.IDLE_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // A timeout may fire up to one interval late.
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 10,
    },
    limit: MAX_CONNECTIONS,
    logger,
    writeTimeoutMs: WRITE_TIMEOUT_MS,
    unparsableResponse: (error) => {
      const { status, headers, body } = fastify().errorResponses.responseTo(error, defaultLanguage);
      const id = requestIdFor({ headers: {} });
      logUnparsableRequest(logger, id, status);
      return unparsableResponse(status, { ...headers, 'x-request-id': id }, JSON.stringify(body));
    },
  });
}

/** Compression changes the length, which a HEAD must share with its GET. */
function omitLengthsBeforeCompression(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') return;
    // The framework's own hook, which runs first, sets the length.
    route.onSend = [route.onSend ?? [], omitLength].flat();
  });
}

const omitLength: onSendHookHandler = (request, reply, payload, done) => {
  if (request.headers['accept-encoding'] !== undefined) reply.removeHeader('content-length');
  done(null, payload);
};

function newAdapter(
  { environment, logger }: AdapterOptions,
  connections: Connections,
): FastifyAdapter {
  return new ServiceAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIdFor,
    bodyLimit: environment.BODY_LIMIT_BYTES,
    trustProxy: trustProxyOption(environment),
    routerOptions: { maxParamLength: maxPathParameterLength },
    ...connections.serverOptions,
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      request.receivedAt = performance.now();
      request.language = parseLanguage(request.headers['language']);
      setContextHeaders(request, reply);
      if (isIncomplete(request.raw)) void reply.header('connection', 'close');
      reply.raw.once('close', () => logResponse(logger, request, reply));
      request.server.errorResponses.respond(error, request, reply);
    },
    skipMiddie: true,
  });
}

const toInteger = (integer: bigint) => Long.fromBigInt(integer);

function acceptJsonOnly(fastify: FastifyInstance, maxDepth: number): void {
  fastify.removeAllContentTypeParsers();
  fastify.decorateRequest('verifyRawBody', null);
  fastify.addHook('onRequest', ({ method, raw }, _reply, done) => {
    // Some clients send the header with every request.
    if (method === 'DELETE' && !hasBody(raw)) delete raw.headers['content-type'];
    done();
  });
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      // Chunked encoding may announce an empty body.
      if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
      try {
        request.verifyRawBody?.(body);
        const { envelopeDepth = 0, roundsNumbers, readsOnlyFieldsOf } = routeOptionsOf(request);
        const fields = readsOnlyFieldsOf && [...fieldNamesOf(readsOnlyFieldsOf)];
        const rules = { maxDepth: maxDepth + envelopeDepth, toInteger, roundsNumbers, fields };
        done(null, parseJsonBody(body, rules));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}
