import type { ErrorCode } from './generated/error-codes.js';

/** An answer of the API that is an error. */
export class IntegrationApiError extends Error {
  override readonly name = 'IntegrationApiError';
  readonly status: number;
  /** Stable in every language; undefined when something before the API answered, a proxy for example. */
  readonly code: ErrorCode | undefined;
  /** What is wrong, in the language of the answer. */
  readonly messages: readonly string[];
  /** By which the operator finds the request. */
  readonly requestId: string | undefined;
  readonly headers: Headers;

  constructor(status: number, headers: Headers, text: string) {
    const messages = messagesOf(text, status);
    super(`${status}: ${messages.join('; ')}`);
    this.status = status;
    this.code = (headers.get('x-error-code') as ErrorCode | null) ?? undefined;
    this.messages = messages;
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.headers = headers;
  }
}

/** No try got a whole answer. What the request was to change may have been changed all the same. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  constructor(
    readonly tries: number,
    cause: unknown,
  ) {
    super(`No answer after ${tries} ${tries === 1 ? 'try' : 'tries'}`, { cause });
  }
}

function messagesOf(text: string, status: number): string[] {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] };
    if (message !== undefined) return [message].flat();
  } catch {
    // It comes from something else than the API.
  }
  return [`HTTP status ${status}`];
}
