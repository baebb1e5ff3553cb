import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { typeExample } from './type-example.js';
import type { ErrorDefinition } from '../errors/error-definition.js';
import {
  errorSchemaReference,
  exampleReference,
  explained,
  headerReference,
} from './openapi-components.js';

type Headers = NonNullable<ApiResponseOptions['headers']>;
type Links = NonNullable<ApiResponseOptions['links']>;

/** An error of an endpoint, and headers that only this endpoint's responses have. */
export type DocumentedError = ErrorDefinition & { readonly documentedHeaders?: Headers };

const text = { type: 'string' as const };

/** Headers of responses that are polled. */
export const pollingHeaders = {
  etag: headerReference('etag'),
  'x-updated-as-of': headerReference('x-updated-as-of'),
  'x-next-cursor': headerReference('x-next-cursor'),
} satisfies Headers;

/** Header of a response to a request of which a part was not understood. */
export const ignoredFieldsHeader = {
  'x-ignored-fields': headerReference('x-ignored-fields'),
} satisfies Headers;

/** Documents a response with its body and the headers that only some responses have; without an example, those of its fields count. */
export function DocumentedResponse(
  status: number,
  type: NonNullable<Extract<ApiResponseOptions, { type?: unknown }>['type']>,
  description: string,
  headers: ApiResponseOptions['headers'] = {},
  example?: object,
): MethodDecorator {
  return ApiResponse({ status, type, description, headers, ...(example && { example }) });
}

/** What differs between the upserts. */
interface UpsertDocumentation {
  readonly noun: string;
  readonly headers?: Headers;
  /** The operations that the ids in the response lead to. */
  readonly links: Links;
}

/** Documents both outcomes of an upsert, each with an example of its own. */
export function DocumentedUpsert(type: Type, upsert: UpsertDocumentation): MethodDecorator {
  const { noun, headers = {}, links } = upsert;
  const outcomes = [
    { status: 201, operation: 'create', description: `The ${noun} was created.` },
    { status: 200, operation: 'update', description: `The ${noun} was updated.` },
  ];
  return applyDecorators(
    ...outcomes.map(({ status, operation, description }) =>
      ApiResponse({
        status,
        type,
        description,
        headers,
        example: { ...typeExample(type), operation },
        links,
      }),
    ),
  );
}

/**
 * Documents the body of a request, with an example for each of its usual forms by what it is.
 *
 * @param renewedField the id that the page renews after each use, where it works only once
 */
export function DocumentedBody(
  type: Type,
  examples: Readonly<Record<string, object>>,
  renewedField?: string,
): MethodDecorator {
  const named = Object.entries(examples).map(([summary, value]) => [
    // The names are keys of the document.
    summary.toLowerCase().replaceAll(/[^a-z]+/g, '-'),
    { summary, value },
  ]);
  const renewed = renewedField === undefined ? {} : { 'x-renewed-field': renewedField };
  return ApiBody({
    type,
    examples: Object.fromEntries(named) as Record<string, { value: object }>,
    ...renewed,
  });
}

/** Documents what makes polling a read cheap: entity tags, 304 and the next `updatedSince`. */
export function DocumentedPolling(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'if-none-match',
      required: false,
      description: 'The ETag of the last response; 304 without a body while nothing has changed.',
      schema: text,
    }),
    ApiResponse({
      status: 304,
      description: 'What If-None-Match names is still what would be sent.',
      headers: { etag: pollingHeaders.etag },
    }),
  );
}

/** Documents the errors of an endpoint, a response for each status with an example for each error. */
export function DocumentedErrors(...errors: readonly DocumentedError[]): MethodDecorator {
  const statuses = [...new Set(errors.map(({ status }) => status))];
  return applyDecorators(
    ...statuses.map((status) =>
      documentStatus(
        status,
        errors.filter((error) => error.status === status),
      ),
    ),
  );
}

function documentStatus(status: number, errors: readonly DocumentedError[]): MethodDecorator {
  const own = errors.map(({ documentedHeaders }) => documentedHeaders);
  const hasRetryAfter = errors.some(({ headers = {} }) => 'retry-after' in headers);
  return ApiResponse({
    status,
    description: explained(errors),
    headers: Object.assign(
      { 'x-error-code': headerReference('x-error-code') },
      hasRetryAfter && { 'retry-after': headerReference('retry-after') },
      ...own,
    ) as Headers,
    content: {
      'application/json': {
        schema: errorSchemaReference,
        examples: Object.fromEntries(errors.map((error) => [error.code, exampleReference(error)])),
      },
    },
  });
}
