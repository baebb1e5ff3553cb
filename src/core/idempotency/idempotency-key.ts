import { maxKeyLength } from '../errors/idempotency-errors.js';

/** A structured-field string (RFC 9651): printable ASCII in quotes, with `\"` and `\\` escaped. */
const quotedKey = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const bareKey = /^[!#-~]*$/;

/** Accepts quotes (draft-ietf-httpapi-idempotency-key-header) or none (rule HTTP-23); null when malformed. */
export function parseIdempotencyKey(value: string): string | null {
  const quoted = quotedKey.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (bareKey.test(value) ? value : '');
  return key.length > 0 && key.length <= maxKeyLength ? key : null;
}
