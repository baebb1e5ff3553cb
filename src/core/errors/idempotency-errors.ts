import { errorDefinitions } from './domain-error.js';

/** Length of an `Idempotency-Key` without its quotes. */
export const maxKeyLength = 255;

export const idempotencyErrors = errorDefinitions('http', {
  idempotencyKeyMalformed: {
    status: 400,
    code: 'idempotency.key_malformed',
    sample: { limit: maxKeyLength },
    cause: '`Idempotency-Key` is empty, too long, sent twice, or has invalid characters',
    remedy: 'Send one value of up to 255 printable ASCII characters, such as a UUID',
  },
  idempotentRequestRunning: {
    status: 409,
    code: 'idempotency.request_running',
    headers: { 'retry-after': '1' },
    cause: 'The first request with this `Idempotency-Key` is still running',
    remedy: 'Retry the same request after `Retry-After` seconds',
  },
  idempotencyKeyReused: {
    status: 422,
    code: 'idempotency.key_reused',
    cause:
      'The `Idempotency-Key` was used with another path or body, whose response is still stored',
    remedy: 'Use a new key for each new request, and the same key only for exact retries',
  },
});
