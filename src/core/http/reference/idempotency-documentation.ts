import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorDefinition } from '../errors/error-definition.js';
import { idempotencyErrors } from '../../idempotency/idempotency-errors.js';
import { keyLengthLimit } from '../../idempotency/idempotency-key.js';
import { responseHeaders } from './api-documentation.js';
import { explained } from './explained-errors.js';
import { errorSchemaReference, headerReference } from './openapi-components.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;
type Response = Extract<NonNullable<Operation['responses'][string]>, { description: string }>;

const parameter = {
  name: 'idempotency-key',
  in: 'header' as const,
  required: false,
  description:
    'A new value, a UUID for example, for each new request; with it a repetition gets the first ' +
    'response again for 24 hours, and changes nothing. In quotes or bare.',
  // Quotes and backslashes count twice where they are in quotes.
  schema: {
    type: 'string' as const,
    maxLength: 2 * keyLengthLimit + 2,
    pattern: String.raw`^("([ !#-\[\]-~]|\\["\\])+"|[!#-~]+)$`,
  },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
};

/** Documents what every POST with a key of an API has in common (rule HTTP-23). */
export function documentIdempotency({ paths }: OpenAPIObject): void {
  for (const { post } of Object.values(paths)) {
    if (post?.security === undefined) continue;
    post.parameters = [...(post.parameters ?? []), parameter];
    for (const [status, response] of Object.entries(post.responses)) {
      if (response !== undefined && !('$ref' in response) && isReplayed(Number(status))) {
        const replayed = { 'idempotent-replayed': headerReference('idempotent-replayed') };
        response.headers = { ...response.headers, ...replayed };
      }
    }
    for (const error of Object.values(idempotencyErrors)) addError(post, error);
  }
}

function isReplayed(status: number): boolean {
  return status < 300 || [400, 404, 422].includes(status);
}

function addError({ responses }: Operation, error: ErrorDefinition): void {
  const { status, code } = error;
  const found = responses[status] as Response | undefined;
  const json = found?.content?.['application/json'];
  const examples = { ...json?.examples, [code]: { $ref: `#/components/examples/${code}` } };
  responses[status] = {
    headers: {
      ...responseHeaders,
      'x-error-code': headerReference('x-error-code'),
      ...(status === 409 ? { 'retry-after': headerReference('retry-after') } : {}),
    },
    ...found,
    description: [found?.description ?? [], explained([error])].flat().join('\n'),
    content: { 'application/json': { schema: errorSchemaReference, ...json, examples } },
  };
}
