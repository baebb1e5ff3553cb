import type { LocalizedMessage } from '../localization/messages.service.js';

export interface ErrorDefinition {
  readonly status: number;
  /** The value of `x-error-code`, the same in all languages. */
  readonly code: string;
  /** A key of `localization/messages`, such as `http.badRequest`. */
  readonly messageKey: string;
  /** Example values; code that throws the error must give a value for each placeholder. */
  readonly sample?: Readonly<Record<string, string | number>>;
  readonly otherMessages?: readonly LocalizedMessage[];
  readonly cause: string;
  readonly remedy: string;
  readonly isList?: boolean;
  /** Omits the field `error` of a 401 (rule AUTH-3). */
  readonly omitsErrorField?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

type Definitions = Readonly<
  Record<string, Omit<ErrorDefinition, 'messageKey'> & { readonly messageKey?: string }>
>;

/** Message keys default to `<file>.<name of the error>`. */
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

type Content<Definition> = Definition extends { sample: infer Sample }
  ? { readonly [Placeholder in keyof Sample]: string | number } | readonly LocalizedMessage[]
  : readonly LocalizedMessage[] | undefined;

type Details<Definition> =
  undefined extends Content<Definition>
    ? [content?: Content<Definition>, headers?: Headers]
    : [content: Content<Definition>, headers?: Headers];

export class DomainError<Definition extends ErrorDefinition = ErrorDefinition> extends Error {
  readonly definition: ErrorDefinition;
  readonly messages: readonly LocalizedMessage[];
  readonly headers: Headers;

  /** @param details values or messages, then headers in addition to those of the definition */
  constructor(definition: Definition, ...[content, headers = {}]: Details<Definition>) {
    super(definition.code);
    this.definition = definition;
    this.messages = Array.isArray(content)
      ? (content as LocalizedMessage[])
      : [
          {
            key: definition.messageKey,
            values: (content ?? {}) as NonNullable<LocalizedMessage['values']>,
          },
        ];
    this.headers = { ...definition.headers, ...headers };
  }

  get status(): number {
    return this.definition.status;
  }
}
