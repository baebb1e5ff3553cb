import { STATUS_CODES } from 'node:http';
import type { Language } from '../../localization/language.js';
import type { Message } from '../../localization/messages.js';
import { isDatabaseUnavailable } from '../../database/connection/database-errors.js';
import { DomainError } from './domain-error.js';

/** The body of every refusal and fault (section 7). */
export interface ErrorBody {
  readonly statusCode: number;
  readonly message: string | string[];
  readonly error?: string;
}

/** A refusal ready to be sent. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** Errors of the framework whose own words are not for callers, by status. */
const frameworkMessages: Readonly<Record<number, string>> = {
  400: 'http.badRequest',
  404: 'http.routeNotFound',
  405: 'http.methodNotAllowed',
  408: 'http.requestTimeout',
  413: 'http.bodyTooLarge',
  414: 'http.pathTooLong',
  415: 'http.unsupportedMediaType',
  431: 'http.headersTooLarge',
};

/** Names the refusal that an error stands for; what is not known is a 500 that tells nothing. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isDatabaseUnavailable(error)) {
    return new DomainError(503, [{ key: 'http.serviceUnavailable' }], {
      headers: { 'retry-after': '1' },
    });
  }
  const status = statusOf(error);
  const key = frameworkMessages[status];
  if (key === undefined) return new DomainError(500, [{ key: 'http.internalServerError' }]);
  return new DomainError(status, [{ key }]);
}

/** Shapes a refusal; no other place knows the body's shape. */
export function errorResponse(
  error: DomainError,
  language: Language,
  text: (message: Message, language: Language) => string,
): ErrorResponse {
  const texts = error.messages.map((message) => text(message, language));
  const message = error.options.isList ? texts : (texts[0] ?? '');
  const reason = error.options.isBare ? {} : { error: STATUS_CODES[error.status] ?? 'Error' };
  return {
    status: error.status,
    headers: error.options.headers ?? {},
    body: { statusCode: error.status, message, ...reason },
  };
}

function statusOf(error: unknown): number {
  const { statusCode, status } = (error ?? {}) as { statusCode?: unknown; status?: unknown };
  if (typeof statusCode === 'number') return statusCode;
  return typeof status === 'number' ? status : 500;
}
