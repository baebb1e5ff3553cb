import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Environment } from '../configuration/environment.js';

const keyBytes = 32;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const version = 's1';

/** The first key seals the text. Unsealing it needs the same `owner`, the id of the text's record. */
export function seal(text: string, keys: readonly Buffer[], owner: string): string {
  const [key] = keys;
  if (key === undefined) throw new Error('No encryption key is configured: set ENCRYPTION_KEYS.');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
  const whole = Buffer.concat([sealed, cipher.getAuthTag()]);
  return [version, keyIdOf(key), whole.toString('base64url')].join('.');
}

/** @throws Error when no key sealed the text, or when it was changed or has another owner */
export function unseal(sealed: string, keys: readonly Buffer[], owner: string): string {
  const [, , content = ''] = sealed.split('.');
  const keyId = sealingKeyIdOf(sealed);
  const key = keys.find((candidate) => keyIdOf(candidate) === keyId);
  if (key === undefined)
    throw new Error(`The key ${keyId} is missing in ENCRYPTION_KEYS: add it at the end.`);
  try {
    return decrypt(Buffer.from(content, 'base64url'), key, owner);
  } catch (cause) {
    throw new Error('The secret was changed, or sealed for another owner.', { cause });
  }
}

function decrypt(whole: Buffer, key: Buffer, owner: string): string {
  const decipher = createDecipheriv(algorithm, key, whole.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(owner))
    .setAuthTag(whole.subarray(-tagBytes));
  const text = decipher.update(whole.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

/** Returns an empty id for an invalid text. */
export function sealingKeyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}

/** Returns eight hexadecimal digits that reveal nothing about the key. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('name of ').update(key).digest('hex').slice(0, 8);
}

/**
 * Not a secret: anyone can read this key here. It seals only outside production, while ENCRYPTION_KEYS is not
 * set.
 */
const developmentKey = Buffer.alloc(keyBytes, 'development');

/** Returns the newest key first (rule HOOK-12). */
export function encryptionKeys({
  ENCRYPTION_KEYS: configured = [],
  NODE_ENV,
}: Environment): readonly Buffer[] {
  // The development key unseals secrets that were stored before ENCRYPTION_KEYS was set.
  return NODE_ENV === 'production' ? configured : [...configured, developmentKey];
}
