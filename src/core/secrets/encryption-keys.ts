import type { Environment } from '../configuration/environment.js';
import { keyBytes } from './secret-box.js';

/** Public: seals outside production without ENCRYPTION_KEYS. */
const developmentKey = Buffer.alloc(keyBytes, 'development');

/** Newest first (rule HOOK-12). */
export function encryptionKeys({
  ENCRYPTION_KEYS: configured = [],
  NODE_ENV,
}: Environment): readonly Buffer[] {
  // Last, so that secrets sealed before ENCRYPTION_KEYS was set can be opened.
  return NODE_ENV === 'production' ? configured : [...configured, developmentKey];
}
