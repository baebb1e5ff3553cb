/** How many characters a key has at most. */
export const keyLengthLimit = 255;

/** A string of structured fields (RFC 9651): printable ASCII in quotes, with backslashes before two characters. */
const quotedKey = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const bareKey = /^[!#-~]*$/;

/**
 * The key in the value of an `Idempotency-Key` header, in quotes as in draft-ietf-httpapi-idempotency-key-header
 * or bare, which is the same key (rule HTTP-23); null when it is malformed.
 */
export function parseIdempotencyKey(value: string): string | null {
  const quoted = quotedKey.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (bareKey.test(value) ? value : '');
  return key.length > 0 && key.length <= keyLengthLimit ? key : null;
}
