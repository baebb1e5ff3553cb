import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { routePatternOf } from './route-options.js';

/** What the log says of a response that is over. */
export interface CompletedRequest {
  readonly method: string;
  /** Pattern of the route; `unknown` where there is none. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly organizationId: string | undefined;
  readonly apiKeyId: string | undefined;
  /** Whether the client left before it had the whole response. */
  readonly aborted?: true;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Told of each response that is over; set where somebody counts them. */
    onCompletedRequest: ((completed: CompletedRequest, request: FastifyRequest) => void) | null;
  }
  interface FastifyRequest {
    /** Whether its response is decided: from then on its end is logged. */
    isDecided: boolean;
  }
}

/**
 * Logs one line for each response: route pattern, status, time, and whose request it was. Values of
 * path parameters and queries are left out, they may be personal or a key. A response that its client
 * did not wait for is logged once it is decided, as `aborted`.
 */
export function addRequestLog(fastify: FastifyInstance, logger: Logger): void {
  fastify.decorate('onCompletedRequest', null);
  fastify.decorateRequest('isDecided', false);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.on('close', () => {
      if (request.isDecided) logResponse(logger, request, reply);
    });
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.raw.destroyed && !request.isDecided) logResponse(logger, request, reply);
    request.isDecided = true;
    done();
  });
}

/** Logs a response that is over. */
export function logResponse(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const level = reply.statusCode >= 500 ? 'error' : 'info';
  const completed: CompletedRequest = {
    method: request.method,
    route: routePatternOf(request),
    status: reply.statusCode,
    milliseconds: Math.round((performance.now() - request.receivedAt) * 10) / 10,
    organizationId: request.caller?.organizationId.toHexString(),
    apiKeyId: request.caller?.apiKeyId.toHexString(),
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
  };
  logger[level]({ reqId: request.id, ...completed }, 'request completed');
  request.server.onCompletedRequest?.(completed, request);
}

/** Logs the response to bytes that never became a request. */
export function logUnparsableRequest(logger: Logger, reqId: string, status: number): void {
  logger.info({ reqId, method: 'unknown', route: 'unknown', status }, 'request completed');
}
