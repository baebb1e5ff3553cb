import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestLanguage } from '../../localization/language.js';
import { ErrorResponses, toDomainError } from './error-responses.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Responds to errors outside Nest's handlers. */
    errorFilter: ErrorFilter;
  }
}

/** Responds to every error in the caller's language, without server internals. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(readonly responses: ErrorResponses) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Logs an unexpected error; does nothing after the response was sent. */
  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.sent) return;
    request.failure = toDomainError(error);
    const response = this.responses.of(request.failure, requestLanguage(request));
    const { status, headers, body } = response;
    if (status >= 500) request.log.error({ err: error }, 'The request failed');
    void reply.status(status).headers(headers).send(body);
  }
}
