import type { Message } from '../../localization/messages.js';

/** What an error answers besides its messages. */
export interface DomainErrorOptions {
  /** The body's `message` is a list, as section 7 has it for refused input. */
  readonly isList?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body has no `error` field (the callback's 401). */
  readonly isBare?: boolean;
}

/** A refusal that the caller is told about: a status and messages of the catalogues (section 7). */
export class DomainError extends Error {
  constructor(
    readonly status: number,
    readonly messages: readonly Message[],
    readonly options: DomainErrorOptions = {},
  ) {
    super(messages.map(({ key }) => key).join(', '));
  }
}

/** 400 with the list of everything that is wrong with the request. */
export function invalidRequest(...messages: Message[]): DomainError {
  return new DomainError(400, messages, { isList: true });
}

/** 404 with one message. */
export function notFound(key: string, values: Message['values'] = {}): DomainError {
  return new DomainError(404, [{ key, values }]);
}

/** 401 with one message. */
export function unauthorized(key: string, options: DomainErrorOptions = {}): DomainError {
  return new DomainError(401, [{ key }], options);
}
