import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { BodyInterceptor } from './body/body.interceptor.js';
import type { ErrorDefinition } from '../errors/domain-error.js';
import type { ServiceResponse } from './requests/idempotency-claim.js';
import { UnknownNamesInterceptor } from './requests/unknown-names.interceptor.js';

type Headers = NonNullable<ApiResponseOptions['headers']>;
type Links = NonNullable<ApiResponseOptions['links']>;

export type DocumentedError = ErrorDefinition & { readonly documentedHeaders?: Headers };

const stringSchema = { type: 'string' as const };

export function headerReference(name: string): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

export const pollingHeaders = {
  etag: headerReference('etag'),
  'x-updated-as-of': headerReference('x-updated-as-of'),
  'x-next-cursor': headerReference('x-next-cursor'),
} satisfies Headers;

export const ignoredFieldsHeader = {
  'x-ignored-fields': headerReference('x-ignored-fields'),
} satisfies Headers;

export function DocumentedResponse(
  status: number,
  type: NonNullable<Extract<ApiResponseOptions, { type?: unknown }>['type']>,
  description: string,
  headers: ApiResponseOptions['headers'] = {},
  example?: object,
): MethodDecorator {
  return ApiResponse({ status, type, description, headers, ...(example && { example }) });
}

interface UpsertDocumentation {
  readonly noun: string;
  readonly headers?: Headers;
  readonly links: Links;
}

export function DocumentedUpsert(type: Type, upsert: UpsertDocumentation): MethodDecorator {
  const { noun, links } = upsert;
  const headers = { ...ignoredFieldsHeader, ...upsert.headers };
  const created = { status: 201, description: `The ${noun} was created.` };
  const updated = { status: 200, description: `The ${noun} was updated.` };
  return applyDecorators(
    ...[created, updated].map((outcome) => ApiResponse({ ...outcome, type, headers, links })),
  );
}

/** The route reads a JSON body after the guards, accepts an `Idempotency-Key`, and names the fields that it ignored. */
export function JsonBody(type: Type, examples: Readonly<Record<string, object>>): MethodDecorator {
  const named = Object.entries(examples).map(([summary, value]) => [
    summary.toLowerCase().replaceAll(/[^a-z]+/g, '-'),
    { summary, value },
  ]);
  return applyDecorators(
    UseInterceptors(BodyInterceptor, IdempotencyInterceptor, UnknownNamesInterceptor),
    ApiBody({
      type,
      examples: Object.fromEntries(named) as Record<string, { value: object }>,
    }),
  );
}

export function DocumentedPolling(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'if-none-match',
      required: false,
      description:
        'The ETag of the last response: returns 304 without a body while nothing has changed.',
      schema: stringSchema,
    }),
    ApiResponse({
      status: 304,
      description: 'The representation still matches an entity tag in If-None-Match.',
      headers: { etag: pollingHeaders.etag },
    }),
  );
}

export function DocumentedErrors(errors: readonly DocumentedError[]): MethodDecorator {
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
    description: describeErrors(errors),
    headers: Object.assign(
      { 'x-error-code': headerReference('x-error-code') },
      hasRetryAfter && { 'retry-after': headerReference('retry-after') },
      ...own,
    ) as Headers,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(errors.map((error) => [error.code, exampleReference(error)])),
      },
    },
  });
}

/** Each variant of an error has its own example. */
export function exampleName({ code, omitsErrorField, sample = {} }: ErrorDefinition): string {
  if ('operation' in sample) return `${code}.${sample['operation']}`;
  return omitsErrorField ? `${code}.without-error` : code;
}

function exampleReference(error: ErrorDefinition): { $ref: string } {
  return { $ref: `#/components/examples/${exampleName(error)}` };
}

export function describeErrors(errors: readonly ErrorDefinition[]): string {
  const lines = errors.map(({ code, cause, remedy }) => `- \`${code}\`: ${cause}. *${remedy}.*`);
  return [...new Set(lines)].join('\n');
}

export type UpsertResponse<Body> = Required<ServiceResponse<Body>>;

export function upsertResponse<Resource extends object>(
  operation: 'create' | 'update',
  resource: Resource,
) {
  const body = { ok: true, operation, ...resource } as const;
  return { status: operation === 'create' ? 201 : 200, headers: {}, body };
}

export function sendUpsert<Body>(reply: FastifyReply, response: UpsertResponse<Body>): Body {
  // If the deadline has already sent a 503, the log would report this status instead.
  if (!reply.sent) void reply.status(response.status).headers(response.headers);
  return response.body;
}
