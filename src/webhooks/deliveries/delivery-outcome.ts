import { dayMs } from '../../core/values/time.js';
import type { DeliveryAttempt, WebhookDeliveryDocument } from './webhook-delivery.schema.js';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

export interface AttemptResult extends Readonly<
  Omit<DeliveryAttempt, 'round' | 'attempt' | 'url'>
> {
  /** Milliseconds that the receiver asks to wait. */
  readonly retryAfter: number | null;
}

/** How an endpoint has responded lately; an endpoint is new until that is clear (rule HOOK-8). */
export type LatencyClass = 'fast' | 'new' | 'slow';

/** The fields of a delivery that an attempt changes. A retry does not change the status: the endpoint may be off. */
export type DeliveryOutcome = Readonly<
  Pick<WebhookDeliveryDocument, 'attempts' | 'updatedAt'> &
    Partial<
      Pick<WebhookDeliveryDocument, 'status' | 'failureReason' | 'nextAttemptAt' | 'completedAt'>
    >
>;

export const attemptsPerRound = 10;

const firstDelayMs = 5_000;
const growth = 4;
const jitter = 0.2;

const goneStatus = 410;

/** The state of a delivery after an attempt (rule HOOK-6); `previousAttempts` are those of the round. */
export function outcomeOf(
  result: AttemptResult,
  previousAttempts: number,
  now: Date,
  random: number,
): DeliveryOutcome {
  const attempts = previousAttempts + 1;
  const attempted = { attempts, updatedAt: now };
  const completed = { ...attempted, completedAt: now };
  if (isSuccess(result)) return { ...completed, status: 'delivered', failureReason: null };
  if (isGoneResponse(result)) return { ...completed, status: 'failed', failureReason: 'gone' };
  if (attempts >= attemptsPerRound) {
    return { ...completed, status: 'failed', failureReason: 'exhausted' };
  }
  const wait = Math.max(backoff(attempts, random), result.retryAfter ?? 0);
  return { ...attempted, nextAttemptAt: new Date(now.getTime() + wait) };
}

export function isSuccess({ statusCode }: AttemptResult): boolean {
  const status = statusCode ?? 0;
  return status >= 200 && status < 300;
}

/** Whether the receiver wants no further events. */
export function isGoneResponse({ statusCode }: AttemptResult): boolean {
  return statusCode === goneStatus;
}

/** Milliseconds until the next attempt; `random`, 0 to 1, spreads deliveries that failed together. */
export function backoff(failedAttempts: number, random: number): number {
  const base = Math.min(dayMs, firstDelayMs * growth ** (failedAttempts - 1));
  return Math.min(dayMs, Math.round(base * (1 - jitter + 2 * jitter * random)));
}

/** The milliseconds of a `Retry-After` header, at most a day; null without a valid one. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  // Stryker disable next-line ConditionalExpression: the text `undefined` is no valid header either.
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Math.min(dayMs, Number(header) * 1_000);
  // Only the date format of HTTP: `Date` itself takes almost anything for a date.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header)) return null;
  const wait = Date.parse(header) - now.getTime();
  return Number.isNaN(wait) ? null : Math.min(dayMs, Math.max(0, wait));
}
