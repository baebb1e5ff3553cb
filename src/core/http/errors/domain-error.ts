import type { Message } from '../../localization/messages.service.js';
import type { ErrorDefinition } from './error-definition.js';

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
