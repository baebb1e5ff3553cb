import { STATUS_CODES } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../database/connection/database-errors.js';
import type { Language } from '../../localization/language.js';
import { type LocalizedMessage, MessagesService } from '../../localization/messages.service.js';
import { DomainError, type ErrorDefinition } from './domain-error.js';
import { httpErrors } from './http-errors.js';

/** Rule HTTP-5. */
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

/** A request of 1 MiB can break a rule a hundred thousand times. */
const maxMessages = 100;
/** Leaves room for the other fields within 64 KiB. */
const maxMessageBytes = 60 * 1_024;

/** Their own texts are not for clients. */
const frameworkErrors: Readonly<Record<number, ErrorDefinition>> = {
  400: httpErrors.badRequest,
  404: httpErrors.routeNotFound,
  405: httpErrors.methodNotAllowed,
  408: httpErrors.requestTimeout,
  412: httpErrors.preconditionFailed,
  413: httpErrors.bodyTooLarge,
  414: httpErrors.pathTooLong,
  415: httpErrors.unsupportedMediaType,
  416: httpErrors.rangeNotSatisfiable,
  431: httpErrors.headersTooLarge,
};

/** Client errors of the framework keep their status; an unknown error becomes a 500 without details. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error as DomainError;
  if (isDatabaseUnavailable(error)) return new DomainError(httpErrors.serviceUnavailable);
  const status = statusOf(error);
  const isClientError = status >= 400 && status < 500;
  const unlisted = isClientError
    ? { ...httpErrors.badRequest, status }
    : httpErrors.internalServerError;
  return new DomainError(frameworkErrors[status] ?? unlisted);
}

@Injectable()
export class ErrorResponses {
  constructor(private readonly messages: MessagesService) {}

  of(error: DomainError, language: Language): ErrorResponse {
    const { status, code, isList = false, omitsErrorField = false } = error.definition;
    const texts = this.listed(isList ? error.messages : error.messages.slice(0, 1), language);
    const message = isList ? texts : (texts[0] ?? '');
    const reason = omitsErrorField ? {} : { error: STATUS_CODES[status] ?? 'Error' };
    return {
      status,
      headers: { 'x-error-code': code, ...error.headers },
      body: { statusCode: status, message, ...reason },
    };
  }

  sample(definition: ErrorDefinition): ErrorBody {
    const { messageKey: key, sample = {}, otherMessage } = definition;
    const messages = [{ key, values: sample }, ...(otherMessage ? [otherMessage] : [])];
    return this.of(new DomainError(definition, messages), 'en-us').body;
  }

  /** Ends with the number of omitted messages (rule HTTP-5). */
  private listed(messages: readonly LocalizedMessage[], language: Language): string[] {
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
