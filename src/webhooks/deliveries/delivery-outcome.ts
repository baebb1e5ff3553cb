import { backoff, triesOfRound } from './retry-schedule.js';

/** What a delivery has come to. */
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What came of one try to deliver. */
export interface TryResult {
  readonly startedAt: Date;
  readonly milliseconds: number;
  /** Null when there was no answer. */
  readonly statusCode: number | null;
  /** The first 4 KiB of the answer's body. */
  readonly response: string | null;
  /** Why there was no answer, or not all of it. */
  readonly error: string | null;
  /** Milliseconds that the receiver asks to wait. */
  readonly retryAfter: number | null;
  /** The address may not be connected to, so that nothing was sent. */
  readonly isRefused: boolean;
}

/** Why a delivery was given up. */
export type FailureReason =
  'exhausted' | 'gone' | 'refused address' | 'endpoint disabled' | 'endpoint removed';

/** What becomes of a delivery after a try. */
export type Outcome =
  | { readonly status: 'delivered' }
  | { readonly status: 'failed'; readonly reason: FailureReason }
  | { readonly status: 'pending'; readonly nextAttemptAt: Date };

const gone = 410;
/** With these the receiver says that it has too much to do, or that nobody is there to do it. */
const overloaded: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);
const shortestPause = 5_000;
/** Without one success for this long an endpoint is taken for dead. */
const patience = 5 * 86_400_000;

/**
 * Decides what becomes of a delivery.
 *
 * @param earlierTries how many tries of the round have failed before this one
 * @param random from 0 to 1, spreads the next tries
 */
export function outcomeOf(
  result: TryResult,
  earlierTries: number,
  now: Date,
  random: number,
): Outcome {
  if (isSuccess(result)) return { status: 'delivered' };
  if (isGone(result)) return { status: 'failed', reason: 'gone' };
  if (result.isRefused) return { status: 'failed', reason: 'refused address' };
  const failedTries = earlierTries + 1;
  if (failedTries >= triesOfRound) return { status: 'failed', reason: 'exhausted' };
  const wait = Math.max(backoff(failedTries, random), result.retryAfter ?? 0);
  return { status: 'pending', nextAttemptAt: new Date(now.getTime() + wait) };
}

/** Whether the receiver took the event. */
export function isSuccess({ statusCode }: TryResult): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

/** Whether the receiver wants nothing more, ever. */
export function isGone({ statusCode }: TryResult): boolean {
  return statusCode === gone;
}

/** Until when an endpoint is left alone after an answer; null when it need not be. */
export function pauseUntil({ statusCode, retryAfter }: TryResult, now: Date): Date | null {
  if (!overloaded.has(statusCode)) return null;
  return new Date(now.getTime() + (retryAfter ?? shortestPause));
}

/** The time before which an endpoint must have begun to fail for a failure now to disable it. */
export function deadSince(now: Date): Date {
  return new Date(now.getTime() - patience);
}
