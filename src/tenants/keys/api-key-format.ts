import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const label = 'iapi_';
const prefixLength = label.length + 6;

/** A label for secret scanners, 192 random bits, and a checksum that tells a mistyped key from a revoked one. */
export function newApiKey() {
  const random = randomBytes(24).toString('base64url');
  const key = `${label}${random}${checksum(random)}`;
  return { key, prefix: key.slice(0, prefixLength), hash: hashApiKey(key) };
}

export function prefixOf(text: string): string {
  return text.startsWith(label) ? text.slice(0, prefixLength) : text;
}

export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(random: string): string {
  return crc32(random).toString(16).padStart(8, '0');
}
