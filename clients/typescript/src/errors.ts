import type { ErrorCode } from './generated/error-codes.js';

/** The API, or a proxy in front of it, responded with an error. */
export class IntegrationApiError extends Error {
  override readonly name = 'IntegrationApiError';
  readonly status: number;
  /** The code is the same in every language. It is undefined if a proxy responded. */
  readonly code: ErrorCode | undefined;
  /** The messages are in the language of the request. */
  readonly messages: readonly string[];
  /** Tell the operator this id when you report a problem: it identifies the request in the logs. */
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

/** No attempt received a complete response. The request may still have taken effect. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';

  constructor(
    readonly attempts: number,
    cause: unknown,
  ) {
    const tried = `No response after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    super(`${tried}: ${reasonOf(cause)}`, { cause });
  }
}

/** `fetch` says only that it failed; its cause has the reason. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  if (!(cause instanceof Error)) return String(cause);
  // An error of several addresses has no message of its own.
  return cause.message || ((cause as { code?: string }).code ?? cause.name);
}

function messagesOf(text: string, status: number): string[] {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] };
    if (message !== undefined) return [message].flat();
  } catch {
    // A proxy responded.
  }
  return [`HTTP status ${status}`];
}
