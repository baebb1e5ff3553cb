import { createHmac, hkdfSync } from 'node:crypto';
import type { PasswordHash } from '../../../core/values/password-hash.js';

const keyBytes = 32;

/** What signs the console's sessions and forms. */
export interface ConsoleKeys {
  /** Signs cookies. */
  readonly cookies: Buffer;
  readonly forms: Buffer;
}

/**
 * Keys that follow from the operator's password: every instance accepts the sessions of the others, and
 * a new password ends them all (rule OPS-30).
 */
export function consoleKeys({ hash, salt }: PasswordHash): ConsoleKeys {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', hash, salt, `integration-api console ${purpose}`, keyBytes));
  return { cookies: derive('cookies'), forms: derive('forms') };
}

/** What a form of a session sends back, so that no other website's form is taken for one (rule OPS-30). */
export function formToken({ forms }: ConsoleKeys, sessionId: string): string {
  return createHmac('sha256', forms).update(sessionId).digest('base64url');
}
