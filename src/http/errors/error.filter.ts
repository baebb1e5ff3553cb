import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Messages } from '../../localization/messages.js';
import { errorResponse, toDomainError } from './error-response.js';

/** Answers everything that was thrown, in the caller's language and without a trace of the server. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly messages: Messages) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Sends the answer to an error; a fault of the server is logged with its cause. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const domainError = toDomainError(error);
    const { status, headers, body } = errorResponse(domainError, request.language, (...args) =>
      this.messages.text(...args),
    );
    if (status >= 500) request.log.error({ err: error }, 'The request failed');
    void reply.status(status).headers(headers).send(body);
  }
}
