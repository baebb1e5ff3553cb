import { errorDefinitions } from '../http/errors/error-definition.js';

/** The errors of the header `Idempotency-Key` (rule HTTP-23). */
export const idempotencyErrors = errorDefinitions('http', {
  keyMalformed: {
    status: 400,
    code: 'idempotency.key_malformed',
    messageKey: 'http.idempotencyKeyMalformed',
    sample: { limit: 255 },
    cause:
      '`Idempotency-Key` is empty, too long, sent twice, or has other characters than it may have',
    remedy: 'Send one value of up to 255 printable ASCII characters, a UUID for example',
  },
  requestRunning: {
    status: 409,
    code: 'idempotency.request_running',
    messageKey: 'http.idempotentRequestRunning',
    headers: { 'retry-after': '1' },
    cause: 'The first request with this `Idempotency-Key` is still running',
    remedy: 'Repeat the same request after `Retry-After` seconds',
  },
  keyReused: {
    status: 422,
    code: 'idempotency.key_reused',
    messageKey: 'http.idempotencyKeyReused',
    cause: 'The `Idempotency-Key` came with another path or body before, less than 24 hours ago',
    remedy: 'Send a new key with each new request, and the old one only with an exact repetition',
  },
});
