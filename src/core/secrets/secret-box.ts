import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The length of a key for AES-256. */
export const keyBytes = 32;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const version = 's1';

/**
 * Seals a text so that only the holder of the key can read or change it.
 *
 * @param keys newest first; the newest seals
 * @param owner what the text belongs to; it cannot be opened as anything else's
 */
export function seal(text: string, keys: readonly Buffer[], owner: string): string {
  const [key] = keys;
  if (key === undefined) throw new Error('There is no key to seal with.');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
  const whole = Buffer.concat([sealed, cipher.getAuthTag()]);
  return [version, keyIdOf(key), whole.toString('base64url')].join('.');
}

/**
 * Opens what {@link seal} made.
 *
 * @throws Error when none of the keys sealed it, or it was changed or has another owner
 */
export function open(sealed: string, keys: readonly Buffer[], owner: string): string {
  const [, , content = ''] = sealed.split('.');
  const keyId = sealingKeyOf(sealed);
  const key = keys.find((candidate) => keyIdOf(candidate) === keyId);
  if (key === undefined) throw new Error(`ENCRYPTION_KEYS lacks the key ${keyId}.`);
  try {
    return unseal(Buffer.from(content, 'base64url'), key, owner);
  } catch (cause) {
    throw new Error('The secret was changed, or sealed for something else.', { cause });
  }
}

function unseal(whole: Buffer, key: Buffer, owner: string): string {
  const decipher = createDecipheriv(algorithm, key, whole.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(owner))
    .setAuthTag(whole.subarray(-tagBytes));
  const text = decipher.update(whole.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

/** The id of the key that sealed a text; empty for what {@link seal} has not made. */
export function sealingKeyOf(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}

/** The id of a key: eight hexadecimal digits that reveal nothing about it. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('name of ').update(key).digest('hex').slice(0, 8);
}
