import type { FastifyInstance, FastifyRequest, onSendHookHandler } from 'fastify';
import type { Logger } from 'pino';
import { DomainError } from '../../errors/domain-error.js';
import { httpErrors } from '../../errors/http-errors.js';
import { removePorts } from '../requests/client-address.js';
import type { Connections } from './connections.js';
import { addEntityTag } from '../responses/entity-tags.js';
import { hasBody } from './request-body.js';
import { decorateContext, setContext } from '../requests/request-context.js';
import type { RequestDeadline } from '../requests/request-deadline.js';
import { decorateLog, noteDecision, requestLogger, watchResponse } from './request-log.js';
import { routeOptionsOf } from '../requests/route-options.js';

export interface RequestHooks {
  readonly connections: Connections;
  readonly deadline: RequestDeadline;
  readonly logger: Logger;
  /** Sets the caller of a request if its key is known already. */
  readonly identifyCaller: (request: FastifyRequest) => void;
}

/** An error per unknown path would cost more than its response. */
const routeNotFound = new DomainError(httpErrors.routeNotFound);

/**
 * All hooks for requests. Everything else is a guard, an interceptor, a pipe or the filter of Nest, which see neither
 * an unknown path nor what the router refuses, and not the bytes of a response (decision 14).
 */
export function addRequestHooks(fastify: FastifyInstance, hooks: RequestHooks): void {
  const { connections, deadline, identifyCaller } = hooks;
  const logger = requestLogger(hooks.logger);
  decorateContext(fastify);
  decorateLog(fastify);
  deadline.decorate(fastify);
  connections.attach(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { raw, method } = request;
    // Whatever reads `request.ip` must see one address per client.
    removePorts(raw.headers);
    // Every response has a language, an id and the common headers.
    setContext(request, reply);
    // The log has a line for each request, even for one that no route handles.
    watchResponse(logger, request, reply);
    // A request whose framing is ambiguous must not reach a guard.
    const refusal = connections.refusalOf(raw);
    if (refusal === null) return void reply.hijack();
    if (refusal !== undefined) return done(refusal);
    // Nest would run guards and interceptors for no unknown path.
    if (request.is404) return fastify.errorResponses.respond(routeNotFound, request, reply);
    // Fastify judges the type of a body that is not there; some clients send one with every request.
    if (method === 'DELETE' && !hasBody(raw.headers)) delete raw.headers['content-type'];
    const begin = () => {
      // The guards' own queries count.
      deadline.start(request, reply);
      done();
    };
    if (connections.hold === undefined) begin();
    else void connections.hold.then(begin);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    noteDecision(logger, request, reply);
    deadline.end(request);
    const body = addEntityTag(request, reply, payload);
    // A drain closes the connections of all responses.
    connections.beforeResponse(request.raw, reply, () => done(null, body));
  });
  // Unknown paths need no key, but a known key shows which partner uses them.
  fastify.addHook('onResponse', (request, _reply, done) => {
    if (request.is404 || routeOptionsOf(request).hasNoEndpoint === true) identifyCaller(request);
    done();
  });
  // Compression changes the length, which a HEAD must share with its GET.
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
