import type { RateLimit } from '../../core/http/rate-limit/token-buckets.js';
import type { ApiKeyDocument } from './api-key.schema.js';

/** The limit of a key itself; null when it has none, or one that other programs wrote wrongly. */
export function keyRateLimit({ rateLimit }: Pick<ApiKeyDocument, 'rateLimit'>): RateLimit | null {
  const { rps = -1, burst = 0 } = rateLimit ?? {};
  return isLimit(rps, burst) ? { rps, burst } : null;
}

function isLimit(rps: unknown, burst: unknown): boolean {
  return Number.isInteger(rps) && Number.isInteger(burst) && Number(rps) >= 0 && Number(burst) > 0;
}
