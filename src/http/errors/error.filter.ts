import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorResponse, toDomainError } from './error-response.js';

/** Responds to everything that was thrown, in the caller's language and without server internals. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendErrorResponse(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/**
 * Sends the response to an error, unless the request has its response; an unexpected one is logged
 * with its cause.
 */
export function sendErrorResponse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (reply.sent) return;
  const { status, headers, body } = errorResponse(toDomainError(error), request.language);
  if (status >= 500) request.log.error({ err: error }, 'The request failed');
  void reply.status(status).headers(headers).send(body);
}
