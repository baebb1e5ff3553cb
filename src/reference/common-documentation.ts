import type { OpenAPIObject } from '@nestjs/swagger';
import { headerReference } from '../core/http/api-documentation.js';
import { maxKeyLength } from '../core/errors/idempotency-errors.js';
import { defaultLanguage, languages } from '../core/localization/language.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Response = Extract<NonNullable<Operation['responses'][string]>, { description: string }>;

const stringSchema = { type: 'string' as const };

const headers = [
  {
    name: 'language',
    description: `Language of content and messages: ${languages.join(' or ')}, in any case. Any value that begins with ar is Arabic; any other value counts as ${defaultLanguage}.`,
    schema: { ...stringSchema, default: defaultLanguage },
  },
  {
    name: 'x-request-id',
    description: 'Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -',
    schema: stringSchema,
  },
];

const idempotencyKey = {
  name: 'idempotency-key',
  description:
    'A new value, such as a UUID, for each new request. A repetition with the same value ' +
    'returns the first response (for 24 hours by default) and changes nothing. Quotes are ' +
    'optional.',
  // Escaping may double the length.
  schema: {
    ...stringSchema,
    maxLength: 2 * maxKeyLength + 2,
    pattern: String.raw`^("([ !#-\[\]-~]|\\["\\])+"|[!#-~]+)$`,
  },
};

const replayedStatuses = new Set(['200', '201', '400', '404', '422']);
/** These responses are sent before the key, and so its rate limit, is known. */
const unlimitedStatuses = new Set(['401', '408', '431']);

export function completeOperations({ get, post, delete: deletion }: PathItem): void {
  for (const operation of [get, post, deletion]) {
    if (operation === undefined) continue;
    const hasKey = operation.security !== undefined;
    operation.security ??= [];
    const isRepeatable = operation === post && hasKey;
    const parameters = [...headers, ...(isRepeatable ? [idempotencyKey] : [])];
    operation.parameters = [
      ...(operation.parameters ?? []),
      ...parameters.map((header) => ({ in: 'header' as const, required: false, ...header })),
    ];
    for (const [status, response] of Object.entries(operation.responses)) {
      const names = [
        'x-request-id',
        ...(isRepeatable && replayedStatuses.has(status) ? ['idempotent-replayed'] : []),
        ...(hasKey && !unlimitedStatuses.has(status) ? ['ratelimit-policy', 'ratelimit'] : []),
      ];
      const common = Object.fromEntries(names.map((name) => [name, headerReference(name)]));
      const described = response as Response;
      described.headers = { ...common, ...described.headers };
    }
  }
}
