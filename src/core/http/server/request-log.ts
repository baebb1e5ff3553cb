import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { DomainError } from '../../errors/domain-error.js';
import { isIdentifier } from '../../validation/dto-reader.js';
import { routePatternOf } from '../../observability/route-pattern.js';

export interface CompletedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly organizationId: string | undefined;
  readonly apiKeyId: string | undefined;
  readonly aborted?: true;
  /** For a batch, they include the codes of its items. */
  readonly errorCodes?: readonly string[];
  readonly ignoredFields?: readonly string[];
  readonly notices?: readonly string[];
}

declare module 'fastify' {
  interface FastifyInstance {
    completedRequestListeners: ((completed: CompletedRequest, request: FastifyRequest) => void)[];
  }
  interface FastifyRequest {
    /** The completion is logged after this is set. */
    isResponseDecided: boolean;
    failure: DomainError | null;
  }
}

export function decorateLog(fastify: FastifyInstance): void {
  fastify.decorate('completedRequestListeners', []);
  fastify.decorateRequest('isResponseDecided', false);
  fastify.decorateRequest('failure', null);
}

/** Logs the response when it has been sent. */
export function watchResponse(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.on('close', () => {
    if (request.isResponseDecided) logResponse(logger, request, reply);
  });
}

/** Logs a response that is decided after its client has disconnected. */
export function noteDecision(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.raw.destroyed && !request.isResponseDecided) logResponse(logger, request, reply);
  request.isResponseDecided = true;
}

/** Redaction would cost three times as much as the line, whose fields are all named here. */
export function requestLogger(logger: Logger): Logger {
  return logger.child({}, { redact: [] });
}

/** Omits paths and queries, which may be personal or contain a key. */
export function logResponse(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const level = reply.statusCode >= 500 ? 'error' : 'info';
  const errorCodes = errorCodesOf(request, reply);
  const ignoredFields = ignoredFieldsOf(reply);
  const notices = [...(request.caller?.notices ?? [])];
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
    ...(notices.length > 0 && { notices }),
  };
  logger[level]({ reqId: request.id, ...completed }, 'request completed');
  for (const listen of request.server.completedRequestListeners) {
    try {
      listen(completed, request);
    } catch (error) {
      // Nothing catches an error of an event, so it would end the process.
      logger.error({ err: error as Error, reqId: request.id }, 'Could not count a request');
    }
  }
}

/** A replayed response has no error object, only the header. */
function errorCodesOf({ caller }: FastifyRequest, reply: FastifyReply): string[] {
  const code = reply.getHeader('x-error-code');
  const parts = caller?.failures?.map(({ definition }) => definition.code) ?? [];
  return [...new Set([...(typeof code === 'string' ? [code] : []), ...parts])];
}

function ignoredFieldsOf(reply: FastifyReply): string[] | undefined {
  const names = reply.getHeader('x-ignored-fields');
  return typeof names === 'string' ? names.split(', ').filter(isIdentifier) : undefined;
}

export function logUnparsableRequest(logger: Logger, reqId: string, status: number): void {
  logger.info({ reqId, method: 'unknown', route: 'unknown', status }, 'request completed');
}
