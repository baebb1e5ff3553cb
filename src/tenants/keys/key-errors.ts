import type { Operation } from './operations.js';
import { type ErrorDefinition, errorDefinitions } from '../../core/errors/domain-error.js';
import { generalErrors, httpErrors } from '../../core/errors/http-errors.js';

const signatureError = {
  status: 401,
  messageKey: 'authentication.keyInvalid',
  omitsErrorField: true,
} as const;

/** `key.*` did not authenticate the request; `authentication.*` is a valid key that does not permit it (rule AUTH-3). */
export const authenticationErrors = errorDefinitions('authentication', {
  keyMissing: {
    status: 401,
    code: 'key.missing',
    otherMessages: [{ key: 'authentication.unauthorized' }],
    cause: 'No API key was sent',
    remedy: 'Send the key in the header `api-key`',
  },
  keyInvalid: {
    status: 401,
    code: 'key.invalid',
    cause: 'The API key is unknown, expired, revoked or without external access',
    remedy: 'Compare the key with the one that was issued, or ask for a new one',
  },
  operationNotPermitted: {
    status: 403,
    code: 'authentication.operation_not_permitted',
    sample: { operation: 'leads.read' },
    cause: 'The API key does not permit the operation of the endpoint',
    remedy: 'Ask the operator for a key that permits this operation',
  },
  addressNotPermitted: {
    status: 403,
    code: 'authentication.address_not_permitted',
    cause: 'The API key is restricted to other client addresses',
    remedy: 'Send the request from a permitted address, or ask the operator to add yours',
  },
  originNotPermitted: {
    status: 403,
    code: 'authentication.origin_not_permitted',
    cause:
      'The API key is for pages of certain origins, and the `Origin` of the request is another or missing',
    remedy:
      'Call from a page of a permitted origin, or ask the operator to add yours; on a server, use a key without origins',
  },
  signatureMissing: {
    ...signatureError,
    code: 'key.signature_missing',
    cause:
      'The key is for signed callbacks, and `webhook-id`, `webhook-timestamp` or `webhook-signature` is missing or empty',
    remedy: 'Send all three headers, as Standard Webhooks defines',
  },
  signatureExpired: {
    ...signatureError,
    code: 'key.signature_expired',
    cause:
      '`webhook-timestamp` is more than five minutes off, or is no whole number of seconds since 1970',
    remedy: 'Sign each attempt with the current time in seconds, and synchronize your clock',
  },
  signatureMismatch: {
    ...signatureError,
    code: 'key.signature_mismatch',
    cause: 'No `v1` signature was made over this body, id and timestamp with a secret of the key',
    remedy:
      'Sign `<id>.<timestamp>.<body>` with the raw bytes of the body and the decoded secret of this key',
  },
  tooManyFailures: {
    status: 429,
    code: 'key.too_many_failures',
    headers: { 'retry-after': '1' },
    cause: 'Too many requests from this address had no valid key',
    remedy: 'Stop these requests, then retry after `Retry-After` seconds',
  },
});

/** Replaces the messages of both under `/compounds`. */
export const unauthorizedKey = 'authentication.unauthorized';

const { keyMissing, keyInvalid, ...others } = authenticationErrors;

export function restrictionErrors(operation: Operation | 'any key'): readonly ErrorDefinition[] {
  const restrictions = [others.addressNotPermitted, others.originNotPermitted];
  if (operation === 'any key') return restrictions;
  return [{ ...others.operationNotPermitted, sample: { operation } }, ...restrictions];
}

export const commonErrorsWith = (change: Partial<ErrorDefinition>): readonly ErrorDefinition[] => [
  { ...keyMissing, ...change },
  { ...keyInvalid, ...change },
  others.tooManyFailures,
  httpErrors.rateLimited,
  ...generalErrors,
  httpErrors.serviceUnavailable,
];

export const commonErrors = commonErrorsWith({});

export const commonCallbackErrors = [
  ...commonErrorsWith({ omitsErrorField: true }),
  others.signatureMissing,
  others.signatureExpired,
  others.signatureMismatch,
];
