import type { ApiKeyDocument } from './api-key.schema.js';

export type ApiKeyState = 'active' | 'expired' | 'revoked';

/** The state of a key at a time; a revoked key that has also expired counts as revoked. */
export function apiKeyState(
  { revokedAt, expiresAt }: Pick<ApiKeyDocument, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyState {
  if (isPast(revokedAt, now)) return 'revoked';
  return isPast(expiresAt, now) ? 'expired' : 'active';
}

function isPast(time: Date | null | undefined, now: Date): boolean {
  return time !== null && time !== undefined && time <= now;
}
