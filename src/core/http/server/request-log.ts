import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { DomainError } from '../errors/domain-error.js';
import { loggedIgnoredFields } from './ignored-fields.js';
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
  /** Why the request, or a part of a batch, was refused; absent where it was not. */
  readonly errorCodes?: readonly string[];
  /** Of a request with names that had no effect: those that look like names of fields. */
  readonly ignoredFields?: readonly string[];
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Told of each response that is over; set where somebody counts them. */
    onCompletedRequest: ((completed: CompletedRequest, request: FastifyRequest) => void) | null;
  }
  interface FastifyRequest {
    /** Whether its response is decided: from then on its end is logged. */
    isDecided: boolean;
    /** The error that it was refused with. */
    failure: DomainError | null;
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
  fastify.decorateRequest('failure', null);
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
  const errorCodes = errorCodesOf(request, reply);
  const ignoredFields = loggedIgnoredFields(reply);
  const completed: CompletedRequest = {
    method: request.method,
    route: routePatternOf(request),
    status: reply.statusCode,
    milliseconds: Math.round((performance.now() - request.receivedAt) * 10) / 10,
    organizationId: request.caller?.organizationId.toHexString(),
    apiKeyId: request.caller?.apiKeyId.toHexString(),
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
    ...(errorCodes.length > 0 && { errorCodes }),
    ...(ignoredFields && { ignoredFields }),
  };
  logger[level]({ reqId: request.id, ...completed }, 'request completed');
  request.server.onCompletedRequest?.(completed, request);
}

/** That of the response, which a repeated one has too, and those of the parts of a batch. */
function errorCodesOf({ caller }: FastifyRequest, reply: FastifyReply): string[] {
  const code = reply.getHeader('x-error-code');
  const parts = caller?.failures?.map(({ definition }) => definition.code) ?? [];
  return [...new Set([...(typeof code === 'string' ? [code] : []), ...parts])];
}

/** Logs the response to bytes that never became a request. */
export function logUnparsableRequest(logger: Logger, reqId: string, status: number): void {
  logger.info({ reqId, method: 'unknown', route: 'unknown', status }, 'request completed');
}
