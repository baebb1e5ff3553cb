import type { Environment } from '../configuration/environment.js';
import { keyBytes } from './secret-box.js';

/** Seals outside production where ENCRYPTION_KEYS is not set; everybody knows it. */
const developmentKey = Buffer.alloc(keyBytes, 'development');

/** The keys that secrets are sealed with, newest first (rule HOOK-12). */
export function encryptionKeys({
  ENCRYPTION_KEYS: configured = [],
  NODE_ENV,
}: Environment): readonly Buffer[] {
  // Secrets from the time before ENCRYPTION_KEYS was set can still be opened.
  return NODE_ENV === 'production' ? configured : [...configured, developmentKey];
}
