import { idempotencyErrors } from './idempotency-errors.js';
import { type ErrorDefinition, errorDefinitions } from './domain-error.js';

const parsingErrors = errorDefinitions('http', {
  malformedJson: {
    status: 400,
    code: 'request.malformed_json',
    cause: 'The body is not JSON in UTF-8',
    remedy: 'Send valid JSON',
  },
  bodyMustBeObject: {
    status: 400,
    code: 'request.body_not_object',
    isList: true,
    cause: 'The body is JSON, but not an object',
    remedy: 'Send one JSON object',
  },
  jsonTooDeep: {
    status: 400,
    code: 'request.json_too_deep',
    sample: { limit: 32 },
    cause: 'The body has more levels of nesting than the limit, 32 by default',
    remedy: 'Flatten the body',
  },
  forbiddenPrototypeKey: {
    status: 400,
    code: 'request.forbidden_key',
    cause: 'Programs could interpret the key instead of reading it as data',
    remedy: 'Rename the key',
  },
  reservedKey: {
    status: 400,
    code: 'request.reserved_key',
    sample: { key: '_bsontype' },
    cause: 'A key is reserved by the database',
    remedy: 'Rename the key',
  },
  databaseReference: {
    status: 400,
    code: 'request.database_reference',
    cause: 'The database would interpret the object as a reference',
    remedy: 'Rename one of the two keys',
  },
  unstorableKey: {
    status: 400,
    code: 'request.unstorable_key',
    cause: 'A key has a null character or an unpaired surrogate',
    remedy: 'Send keys without null characters and unpaired surrogates',
  },
  unstorableText: {
    status: 400,
    code: 'request.unstorable_text',
    cause: 'A string has an unpaired surrogate',
    remedy: 'Send strings without unpaired surrogates',
  },
  numberOutOfRange: {
    status: 400,
    code: 'request.number_out_of_range',
    cause: 'A number is beyond the range of a double',
    remedy: 'Send the number as a string',
  },
  inexactInteger: {
    status: 400,
    code: 'request.inexact_integer',
    sample: { number: '12345678901234567891' },
    cause: 'An integer has more than 64 bits',
    remedy: 'Send the number as a string',
  },
  bodyTooLarge: {
    status: 413,
    code: 'request.body_too_large',
    cause: 'The body is larger than the limit, 1 MiB by default',
    remedy: 'Send less at once',
  },
  unsupportedMediaType: {
    status: 415,
    code: 'request.unsupported_media_type',
    cause: 'The body is not sent as JSON',
    remedy: 'Send `Content-Type: application/json`',
  },
  unsupportedCharset: {
    status: 415,
    code: 'request.unsupported_charset',
    cause: 'The `charset` of `Content-Type` is not UTF-8',
    remedy: 'Send the body in UTF-8',
  },
  unsupportedContentEncoding: {
    status: 415,
    code: 'request.unsupported_content_encoding',
    headers: { 'accept-encoding': 'identity' },
    cause: 'The body has a `Content-Encoding`',
    remedy: 'Send the body uncompressed, without `Content-Encoding`',
  },
});

/** Any endpoint may return these errors (rule HTTP-5). */
export const httpErrors = errorDefinitions('http', {
  ...parsingErrors,
  badRequest: {
    status: 400,
    code: 'request.malformed',
    cause: 'The percent-encoding of the path is broken, or the bytes are not HTTP',
    remedy: 'Percent-encode the values in the path as UTF-8',
  },
  hostRequired: {
    status: 400,
    code: 'request.host_required',
    cause: 'An HTTP/1.1 request has no `Host` header, or a request has more than one',
    remedy: 'Send one `Host` header with the name of the API domain',
  },
  validationFailed: {
    status: 400,
    code: 'validation.failed',
    messageKey: 'validation.isString',
    sample: { property: 'name' },
    otherMessages: [{ key: 'validation.doesNotExceed', values: { property: 'limit', limit: 100 } }],
    isList: true,
    cause: 'A field or parameter has a wrong type or value, or is not known',
    remedy: 'Correct the fields in the messages; each violated rule has a message',
  },
  cursorUnusable: {
    status: 400,
    code: 'list.cursor_unusable',
    isList: true,
    cause:
      '`after` is not a cursor of this list, or was sent with another filter, order or `updatedSince`',
    remedy:
      'Send the parameters of the request that returned the cursor, or start again without it',
  },
  routeNotFound: {
    status: 404,
    code: 'route.not_found',
    cause: 'There is no endpoint with this path',
    remedy: 'Compare the path with the API reference',
  },
  methodNotAllowed: {
    status: 405,
    code: 'route.method_not_allowed',
    cause: 'The path has no endpoint with this method; `Allow` lists its methods',
    remedy: 'Use a method that `Allow` names',
  },
  preflightRefused: {
    status: 405,
    code: 'route.preflight_refused',
    cause:
      'A browser asked whether a page may send this request (CORS preflight). Every visitor of a page can ' +
      'read the API key in it, so pages may only send what a key with their origin permits',
    remedy:
      'Let the page call your server, which keeps the key and calls the API, or ask the operator for a ' +
      'key with the origin of the page',
  },
  requestTimeout: {
    status: 408,
    code: 'request.timeout',
    cause: 'The request took longer to arrive than the limit, 30 seconds by default',
    remedy: 'Retry the request',
  },
  pathTooLong: {
    status: 414,
    code: 'request.path_too_long',
    cause: 'A parameter of the path has more than 2,048 UTF-16 code units',
    remedy: 'Send the id or slug unchanged',
  },
  rateLimited: {
    status: 429,
    code: 'request.rate_limited',
    headers: { 'retry-after': '1' },
    cause:
      'The API key has exceeded its limit, which `RateLimit-Policy` states, or too many of its ' +
      'requests run at the same time (200 by default, unread responses included)',
    remedy:
      'Retry after `Retry-After` seconds, slow down when `RateLimit` shows little left, and ' +
      'read responses completely',
  },
  headersTooLarge: {
    status: 431,
    code: 'request.headers_too_large',
    cause: 'The headers are larger than the limit, 16 KiB by default',
    remedy: 'Send fewer or shorter headers',
  },
  internalServerError: {
    status: 500,
    code: 'server.error',
    cause: 'An unexpected error of the service',
    remedy: 'Retry with increasing delays; if the error persists, report the `x-request-id`',
  },
  eventTooLarge: {
    status: 400,
    code: 'request.event_too_large',
    sample: { limit: 8 },
    cause: 'The event about the change would be too large; nothing was changed',
    remedy: 'Shorten values, or send them in several requests',
  },
  serviceUnavailable: {
    status: 503,
    code: 'server.unavailable',
    headers: { 'retry-after': '1' },
    cause: 'The database did not respond in time',
    remedy: 'Retry after `Retry-After` seconds',
  },
});

export const bodyErrors: readonly ErrorDefinition[] = [
  ...Object.values(parsingErrors),
  httpErrors.validationFailed,
  httpErrors.eventTooLarge,
  ...Object.values(idempotencyErrors),
];

export const pathErrors: readonly ErrorDefinition[] = [
  httpErrors.badRequest,
  httpErrors.validationFailed,
  httpErrors.pathTooLong,
];

export const generalErrors: readonly ErrorDefinition[] = [
  httpErrors.hostRequired,
  httpErrors.validationFailed,
  httpErrors.requestTimeout,
  httpErrors.headersTooLarge,
  httpErrors.internalServerError,
];
