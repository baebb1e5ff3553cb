import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { defaultLanguage, languages } from '../../localization/language.js';

/** One documented refusal: the status, when it happens and what the body's `message` says. */
export interface DocumentedError {
  readonly status: number;
  readonly description: string;
  readonly message: string | readonly string[];
  /** Headers beyond those of every answer. */
  readonly headers?: ApiResponseOptions['headers'];
}

const text = { type: 'string' as const };

/** Headers that every answer has, for the reference. */
export const answerHeaders = {
  'x-request-id': {
    description: 'Id of the request in the logs: the one that was sent, or a new one.',
    schema: text,
  },
  'content-language': {
    description: 'Language of the answer.',
    schema: { ...text, enum: [...languages] },
  },
  vary: {
    description: 'The answer depends on the header `language`, caches have to know.',
    schema: { ...text, enum: ['language'] },
  },
} satisfies ApiResponseOptions['headers'];

/** Documents the headers that every endpoint takes. */
export function DocumentedHeaders(): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'language',
      required: false,
      description:
        'Language of content and messages, in any case; anything unknown counts as en-us.',
      schema: { type: 'string', enum: [...languages], default: defaultLanguage },
      example: 'ar-eg',
    }),
    ApiHeader({
      name: 'x-request-id',
      required: false,
      description:
        'Id to find the request by in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -',
      schema: text,
      example: 'site-7f3a',
    }),
  );
}

/** Headers of answers that are polled. */
export const pollingHeaders = {
  etag: {
    description: 'Strong entity tag; streamed answers (over 4 MiB, all=1, exports) have none.',
    schema: text,
  },
  'x-updated-as-of': {
    description: 'The updatedSince to send next time, early enough to miss nothing.',
    schema: { ...text, format: 'date-time' },
  },
} satisfies ApiResponseOptions['headers'];

/** Documents an answer with its body and headers; without an example, those of its fields count. */
export function DocumentedAnswer(
  status: number,
  type: NonNullable<Extract<ApiResponseOptions, { type?: unknown }>['type']>,
  description: string,
  headers: ApiResponseOptions['headers'] = {},
  example?: object,
): MethodDecorator {
  const shown = example === undefined ? {} : { example };
  const all = { ...answerHeaders, ...headers };
  return ApiResponse({ status, type, description, headers: all, ...shown });
}

/** Documents what makes polling a read cheap: entity tags, 304 and the next `updatedSince`. */
export function DocumentedPolling(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'if-none-match',
      required: false,
      description: 'The ETag of the last answer; 304 without a body while nothing has changed.',
      schema: text,
    }),
    ApiResponse({
      status: 304,
      description: 'What If-None-Match names is still what would be answered.',
      headers: answerHeaders,
    }),
  );
}

/** Documents refusals; those of one status become examples of it. */
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

/** What every guarded endpoint with a JSON body can refuse. */
export const bodyErrors: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'The body is not valid JSON, or not an object',
    message: 'The request body is not valid JSON in UTF-8',
  },
  {
    status: 400,
    description: 'The body is nested too deep',
    message: 'The request body must not be nested deeper than 32 levels',
  },
  {
    status: 400,
    description: 'A key would change how programs read the body',
    message: 'The request body must not have the keys __proto__ or constructor.prototype',
  },
  {
    status: 400,
    description: 'A key is reserved by the database',
    message: 'The request body must not have the key _bsontype',
  },
  {
    status: 400,
    description: 'A number is beyond the range of a double',
    message: 'The request body has a number that is out of range',
  },
  {
    status: 400,
    description: 'An integer has more digits than a double holds',
    message:
      'The request body has the integer 12345678901234567891, which is too large to be kept ' +
      'exactly: send it as a string',
  },
  {
    status: 413,
    description: 'The body is larger than the service accepts: 1 MiB unless it is set otherwise',
    message: 'The request body is too large',
  },
  {
    status: 415,
    description: 'The body is not sent as JSON',
    message: 'The request body must be sent with Content-Type: application/json',
  },
];

/** What every endpoint with a path parameter can refuse. */
export const pathErrors: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'The percent-encoding of the path is broken',
    message: 'The request could not be understood',
  },
  {
    status: 414,
    description: 'A parameter of the path is much too long',
    message: 'The path is too long',
  },
];

/** What can happen to every request, with or without a key. */
export const generalErrors: readonly DocumentedError[] = [
  {
    status: 408,
    description: 'The request took too long to arrive',
    message: 'The request took too long to arrive',
  },
  {
    status: 431,
    description: 'The headers are larger than 16 KiB',
    message: 'The request headers are too large',
  },
  { status: 500, description: 'A fault of the service', message: 'Internal server error' },
];

/** What every guarded endpoint can refuse, and the faults of the service. */
export const commonErrors: readonly DocumentedError[] = [
  {
    status: 401,
    description: 'No API key',
    message: 'Access Denied, API key not provided',
  },
  {
    status: 401,
    description: 'The API key is unknown, expired, revoked or without external access',
    message: 'Access Denied, API key not valid',
  },
  ...generalErrors,
  {
    status: 503,
    description: 'The database did not answer in time; repeat after Retry-After seconds',
    message: 'The service is temporarily unavailable, please try again',
  },
];

/** Refused before there is a request: such an answer has no language and only an id. */
const statusesOfUnreadable: ReadonlySet<number> = new Set([408, 431]);

function headersOf(status: number): ApiResponseOptions['headers'] {
  if (statusesOfUnreadable.has(status)) return { 'x-request-id': answerHeaders['x-request-id'] };
  if (status !== 503) return answerHeaders;
  const description = 'Seconds to wait before the next try.';
  return { ...answerHeaders, 'retry-after': { description, schema: text } };
}

function headersOfAll(
  status: number,
  errors: readonly DocumentedError[],
): NonNullable<ApiResponseOptions['headers']> {
  const own = errors.flatMap(({ headers }) => Object.entries(headers ?? {}));
  return { ...headersOf(status), ...Object.fromEntries(own) };
}

function documentStatus(status: number, errors: readonly DocumentedError[]): MethodDecorator {
  const error = STATUS_CODES[status] ?? 'Error';
  const examples = errors.map(({ description, message }) => [
    description,
    { summary: description, value: { statusCode: status, message, error } },
  ]);
  const isList = ({ message }: DocumentedError) => Array.isArray(message);
  const messages = [
    ...(errors.every(isList) ? [] : [text]),
    ...(errors.some(isList) ? [{ type: 'array' as const, items: text }] : []),
  ];
  return ApiResponse({
    status,
    description: errors.map(({ description }) => description).join('. '),
    headers: headersOfAll(status, errors),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['statusCode', 'message', 'error'],
          properties: {
            statusCode: { type: 'integer', enum: [status] },
            message: messages.length === 1 ? (messages[0] ?? text) : { oneOf: messages },
            error: { type: 'string', enum: [error] },
          },
        },
        examples: Object.fromEntries(examples) as Record<string, { value: unknown }>,
      },
    },
  });
}
