import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorDefinition } from '../core/errors/domain-error.js';
import type { ErrorResponses } from '../core/errors/error-responses.js';
import { operations } from '../tenants/keys/operations.js';
import { exampleName } from '../core/http/api-documentation.js';

const stringSchema = { type: 'string' as const };

const errorSchema = {
  type: 'object',
  required: ['statusCode', 'message'],
  properties: {
    statusCode: { type: 'integer', description: 'The status of the response.' },
    message: {
      oneOf: [stringSchema, { type: 'array' as const, items: stringSchema }],
      description: 'What is wrong, in the language of the response.',
    },
    error: {
      ...stringSchema,
      description: "The standard text of the status; the callback's 401 has none.",
    },
  },
};

const headers = {
  'x-request-id': {
    description: 'Id of the request in the logs: the sent one, or a new one.',
    schema: stringSchema,
  },
  etag: {
    description: 'Strong entity tag; streamed responses (over 4 MiB, all=1, exports) have none.',
    schema: stringSchema,
  },
  'x-updated-as-of': {
    description:
      'Value of updatedSince for the next poll, early enough to miss nothing; only on the last page.',
    schema: { ...stringSchema, format: 'date-time' },
  },
  'x-next-cursor': {
    description: 'Value of after for the next page; absent at the end.',
    schema: stringSchema,
  },
  'x-ignored-fields': {
    description: 'Names of sent fields that had no effect, separated by commas; at most 20.',
    schema: stringSchema,
  },
  'x-search-incomplete': {
    description:
      'email: the search by email may miss leads that another program has stored, because their ' +
      'emails are still being indexed. Repeat it later.',
    schema: { ...stringSchema, enum: ['email'] },
  },
  'x-unmatched-project': {
    description:
      "The project that the request sent is no compound's name; only for keys with `catalogue.read`.",
    schema: { ...stringSchema, enum: ['true'] },
  },
  'x-error-code': {
    description: 'Stable code of the error, the same in every language.',
    schema: stringSchema,
  },
  'idempotent-replayed': {
    description: 'Only on the stored response to an earlier request with the same Idempotency-Key.',
    schema: { ...stringSchema, enum: ['true'] },
  },
  'ratelimit-policy': {
    description:
      'The limit of the API key: q requests at once, available again within w seconds. Absent ' +
      'when the key has no limit.',
    schema: { ...stringSchema, example: '"default";q=200;w=2' },
  },
  ratelimit: {
    description: 'The remaining quota: r requests at once; more become available within t seconds.',
    schema: { ...stringSchema, example: '"default";r=199;t=1' },
  },
  'retry-after': { description: 'Seconds to wait before the next attempt.', schema: stringSchema },
};

export function sharedComponents(
  errors: readonly ErrorDefinition[],
  responses: ErrorResponses,
): NonNullable<OpenAPIObject['components']> {
  return {
    schemas: { Error: errorSchema },
    headers: { ...headers, 'x-error-code': errorCodeHeader(errors) },
    examples: Object.fromEntries(
      errors.flatMap(variantsOf).map((error) => [exampleName(error), exampleOf(error, responses)]),
    ),
  };
}

function errorCodeHeader(errors: readonly ErrorDefinition[]) {
  const codes = errors.map(({ code }) => code);
  return { ...headers['x-error-code'], schema: { ...stringSchema, enum: codes } };
}

/** Some endpoints omit the field `error` from a 401; a 403 names the operation that the key does not permit. */
function variantsOf(error: ErrorDefinition): ErrorDefinition[] {
  if ('operation' in (error.sample ?? {})) {
    return operations.map((operation) => ({ ...error, sample: { operation } }));
  }
  return error.status === 401 ? [error, { ...error, omitsErrorField: true }] : [error];
}

function exampleOf(error: ErrorDefinition, responses: ErrorResponses) {
  return { summary: error.cause, description: error.remedy, value: responses.sampleBody(error) };
}
