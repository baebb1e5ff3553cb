import type { FastifyInstance, FastifyRequest, onSendHookHandler } from 'fastify';
import type { Logger } from 'pino';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { readForwardedAddresses } from './client-address.js';
import type { Connections } from './connections.js';
import { addEntityTags } from './entity-tags.js';
import { addRequestContext } from './request-context.js';
import type { RequestDeadline } from './request-deadline.js';
import { addRequestLog } from './request-log.js';
import { hasBody } from './request-body.js';
import { routeOptionsOf } from './route-options.js';

export interface RequestHooks {
  readonly connections: Connections;
  readonly deadline: RequestDeadline;
  readonly logger: Logger;
  /** Sets the caller of a request if its key is known already. */
  readonly identifyCaller: (request: FastifyRequest) => void;
}

/**
 * All hooks for requests, in their order. Everything else is a guard, an interceptor, a pipe or the filter of Nest.
 * These are hooks because Nest's parts see neither an unknown path nor what a guard or the router refuses, and each
 * response needs them.
 */
export function addRequestHooks(fastify: FastifyInstance, hooks: RequestHooks): void {
  const { connections, deadline, logger, identifyCaller } = hooks;
  // Whatever reads `request.ip` must see one address per client, the router's errors included.
  readForwardedAddresses(fastify);
  // Errors of the router have a language and an id, too.
  addRequestContext(fastify);
  // The log has a line for each request, even for one that no route handles.
  addRequestLog(fastify, logger);
  // A request whose framing is ambiguous must not reach a guard; a drain closes the connections of all responses.
  connections.addTo(fastify);
  // Fastify judges the type of a body that is not there; some clients send one with every request.
  fastify.addHook('onRequest', ({ method, raw: { headers } }, _reply, done) => {
    if (method === 'DELETE' && !hasBody(headers)) delete headers['content-type'];
    done();
  });
  // Nest would run guards and interceptors for none of them.
  rejectUnknownPaths(fastify);
  // The guards' own queries count.
  deadline.addTo(fastify);
  // Interceptors do not see the bytes of a response.
  addEntityTags(fastify);
  omitLengthsBeforeCompression(fastify);
  // Unknown paths need no key, but a known key shows which partner uses them.
  fastify.addHook('onResponse', (request, _reply, done) => {
    if (request.is404 || routeOptionsOf(request).hasNoEndpoint === true) identifyCaller(request);
    done();
  });
}

/** An error per unknown path would cost more than its response. */
const routeNotFound = new DomainError(httpErrors.routeNotFound);

function rejectUnknownPaths(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.is404) fastify.errorResponses.respond(routeNotFound, request, reply);
    else done();
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
