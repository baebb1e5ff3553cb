import type { Message } from '../../localization/messages.service.js';

/**
 * One error of the API, declared once: what is thrown, documented in the API reference and listed
 * in the guides comes from here. A feature has one list of them (`<feature>-errors.ts`).
 */
export interface ErrorDefinition {
  readonly status: number;
  /** Stable word for programs, the same in every language: the header `x-error-code`. */
  readonly code: string;
  /** Key of its message in `localization/messages`, such as `http.badRequest`. */
  readonly messageKey: string;
  /** Sample values of the message's placeholders; throwing the error needs a value for each. */
  readonly sample?: Readonly<Record<string, string | number>>;
  /** Another message that the same error may have, with sample values. */
  readonly otherMessage?: Message;
  /** When it happens. */
  readonly cause: string;
  /** What the client should do. */
  readonly remedy: string;
  /** The body's `message` is a list. */
  readonly isList?: boolean;
  /** The body has no `error` field (rule AUTH-3). */
  readonly omitsErrorField?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

type Definitions = Readonly<
  Record<string, Omit<ErrorDefinition, 'messageKey'> & { readonly messageKey?: string }>
>;

/** Gives each error the message of its own name in `<file>.json`, unless it names another. */
export function errorDefinitions<const T extends Definitions>(
  file: string,
  errors: T,
): { readonly [Name in keyof T]: T[Name] & { readonly messageKey: string } } {
  const entries = Object.entries(errors).map(([name, error]) => [
    name,
    { messageKey: `${file}.${name}`, ...error },
  ]);
  return Object.fromEntries(entries) as ReturnType<typeof errorDefinitions<T>>;
}

type Headers = Readonly<Record<string, string>>;

/** The values of an error's placeholders, or its messages where it has several. */
type Content<Definition> = Definition extends { sample: infer Sample }
  ? { readonly [Placeholder in keyof Sample]: string | number } | readonly Message[]
  : readonly Message[] | undefined;

type Details<Definition> =
  undefined extends Content<Definition>
    ? [content?: Content<Definition>, headers?: Headers]
    : [content: Content<Definition>, headers?: Headers];

/** An error whose message the client may see (rule HTTP-5). */
export class DomainError<Definition extends ErrorDefinition = ErrorDefinition> extends Error {
  readonly definition: ErrorDefinition;
  readonly messages: readonly Message[];
  readonly headers: Headers;

  /** @param details values or messages, and headers beyond those of the definition */
  constructor(definition: Definition, ...[content, headers = {}]: Details<Definition>) {
    super(definition.code);
    this.definition = definition;
    this.messages = Array.isArray(content)
      ? (content as Message[])
      : [{ key: definition.messageKey, values: (content ?? {}) as NonNullable<Message['values']> }];
    this.headers = { ...definition.headers, ...headers };
  }

  get status(): number {
    return this.definition.status;
  }
}
