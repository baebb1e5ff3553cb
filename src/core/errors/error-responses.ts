import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/connection/database-errors.js';
import { defaultLanguage, type Language, requestLanguage } from '../localization/language.js';
import { type LocalizedMessage, MessagesService } from '../localization/messages.service.js';
import { DomainError, type ErrorDefinition } from './domain-error.js';
import { httpErrors } from './http-errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    errorResponses: ErrorResponses;
  }
}

export interface ErrorBody {
  readonly statusCode: number;
  readonly message: string | string[];
  readonly error?: string;
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** A request of 1 MiB can break rules a hundred thousand times. */
const maxMessages = 100;
/** Leaves room for the other fields within 64 KiB. */
const maxMessageBytes = 60 * 1_024;

/** The framework's own messages are not for clients. */
const frameworkErrors: Readonly<Record<number, ErrorDefinition>> = {
  404: httpErrors.routeNotFound,
  413: httpErrors.bodyTooLarge,
  414: httpErrors.pathTooLong,
  415: httpErrors.unsupportedMediaType,
};

/** The framework's client errors keep their status; any unknown error becomes a 500 without details. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error as DomainError;
  if (isDatabaseUnavailable(error)) return new DomainError(httpErrors.serviceUnavailable);
  const status = statusOf(error);
  if (status < 400 || status >= 500) return new DomainError(httpErrors.internalServerError);
  return new DomainError(frameworkErrors[status] ?? { ...httpErrors.badRequest, status });
}

/** Responses are in the caller's language, without server internals. */
@Injectable()
@Catch()
export class ErrorResponses implements ExceptionFilter {
  constructor(private readonly messages: MessagesService) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // The deadline's response may still wait for the rest of an unread body.
    if (!request.isOverdue) this.respond(error, request, http.getResponse<FastifyReply>());
  }

  /** Logs an unexpected error; does nothing after the response was sent. */
  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.sent) return;
    request.failure = toDomainError(error);
    const { status, headers, body } = this.responseTo(request.failure, requestLanguage(request));
    if (status >= 500) {
      request.log.error({ reqId: request.id, err: error }, 'The request failed');
    }
    void reply.status(status).headers(headers).send(body);
  }

  responseTo(error: DomainError, language: Language): ErrorResponse {
    const { status, code, isList = false, omitsErrorField = false } = error.definition;
    const texts = this.limitedTexts(isList ? error.messages : error.messages.slice(0, 1), language);
    const message = isList ? texts : (texts[0] ?? '');
    const reason = omitsErrorField ? {} : { error: STATUS_CODES[status] ?? 'Error' };
    return {
      status,
      headers: { 'x-error-code': code, ...error.headers },
      body: { statusCode: status, message, ...reason },
    };
  }

  sampleBody(definition: ErrorDefinition, language = defaultLanguage): ErrorBody {
    const { messageKey: key, sample = {}, otherMessages = [] } = definition;
    const messages = [{ key, values: sample }, ...otherMessages];
    return this.responseTo(new DomainError(definition, messages), language).body;
  }

  /** The last line counts omitted messages (rule HTTP-5). */
  private limitedTexts(messages: readonly LocalizedMessage[], language: Language): string[] {
    const texts: string[] = [];
    let bytes = 0;
    for (const message of messages.slice(0, maxMessages)) {
      const text = this.messages.textOf(message, language);
      bytes += Buffer.byteLength(JSON.stringify(text));
      if (bytes > maxMessageBytes) break;
      texts.push(text);
    }
    const count = messages.length - texts.length;
    if (count === 0) return texts;
    return [
      ...texts,
      this.messages.textOf({ key: 'http.moreMessages', values: { count } }, language),
    ];
  }
}

function statusOf(error: unknown): number {
  const { statusCode, status } = (error ?? {}) as { statusCode?: unknown; status?: unknown };
  if (typeof statusCode === 'number') return statusCode;
  return typeof status === 'number' ? status : 500;
}
