import type { RateLimit } from './token-buckets.js';

/**
 * The fields by which a response tells a limit and what is left of it (rule HTTP-22), as in
 * draft-ietf-httpapi-ratelimit-headers-10. The window of the policy is the time in which an empty bucket
 * is full again.
 *
 * @param remaining whole tokens; below zero when the request itself was refused
 */
export function rateLimitFields(policy: string, { rps, burst }: RateLimit, remaining: number) {
  // At one token a second or more the next one comes within a second.
  const reset = remaining >= burst ? 0 : 1;
  return {
    'ratelimit-policy': `"${policy}";q=${burst};w=${Math.ceil(burst / rps)}`,
    ratelimit: `"${policy}";r=${Math.max(0, remaining)};t=${reset}`,
  };
}
