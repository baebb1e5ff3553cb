/** How often a delivery is attempted before it fails (rule HOOK-6). */
export const attemptsPerRound = 10;

const second = 1_000;
const day = 86_400 * second;
const firstDelayMs = 5 * second;
const growth = 4;
const jitter = 0.2;

/**
 * How long to wait after a number of failed attempts.
 *
 * @param random from 0 to 1, so that deliveries that failed together do not come back together
 */
export function backoff(failedAttempts: number, random: number): number {
  const base = Math.min(day, firstDelayMs * growth ** (failedAttempts - 1));
  return Math.min(day, Math.round(base * (1 - jitter + 2 * jitter * random)));
}

/**
 * The milliseconds that a `Retry-After` header asks for, at most a day; null when there is none or
 * it makes no sense.
 */
export function retryAfter(header: string | undefined, now: Date): number | null {
  // Stryker disable next-line ConditionalExpression: what it is as text makes no sense either.
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Math.min(day, Number(header) * second);
  // Only the date format of HTTP: `Date` itself takes almost anything for a date.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header)) return null;
  const wait = Date.parse(header) - now.getTime();
  return Number.isNaN(wait) ? null : Math.min(day, Math.max(0, wait));
}
