import { dayMs } from '../../core/values/time.js';
import {
  type AttemptResult,
  isGoneResponse,
  isSuccess,
  type LatencyClass,
} from '../deliveries/delivery-outcome.js';
import type { WebhookEndpointDocument } from './webhook-endpoint.schema.js';

const overloadStatuses: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);
const minPauseMs = 5_000;
/** An endpoint is disabled after so long without a success, if it failed on as many days (rule HOOK-7). */
const maxFailingDays = 5;
/** A success within this time is a fast one (rule HOOK-8). */
const fastMs = 250;
const slowMs = 5_000;

/** Another program may have broken the subscriptions. */
export function hasTypes({ eventTypes = [] }: WebhookEndpointDocument): boolean {
  return Array.isArray(eventTypes);
}

/** The fields of an endpoint that a batch decides (rules HOOK-7 and HOOK-8), by its results in their order. */
export function endpointAfter(
  before: Partial<WebhookEndpointDocument>,
  results: readonly AttemptResult[],
  now: Date,
): Partial<WebhookEndpointDocument> {
  const failingSince = failingSinceAfter(before, results, now);
  const failingDays = failingDaysAfter(before, failingSince, now);
  const pauses = results.flatMap((result) => pauseUntil(result, now) ?? []);
  const ends = [...(before.pausedUntil ? [before.pausedUntil] : []), ...pauses];
  const isGone = results.some(isGoneResponse);
  const isFailing =
    failingSince !== null &&
    now.getTime() - failingSince.getTime() >= maxFailingDays * dayMs &&
    failingDays.length === maxFailingDays;
  const isDisabled = before.isEnabled === true && (isGone || isFailing);
  return {
    latencyClass: results.reduce<LatencyClass>(latencyClassAfter, before.latencyClass ?? 'new'),
    failingSince,
    failingDays,
    pausedUntil: ends.length === 0 ? null : new Date(Math.max(...ends.map(Number))),
    // The secrets could be opened.
    ...(before.fault && { fault: null }),
    ...(isDisabled && {
      isEnabled: false,
      disabledReason: isGone ? 'gone' : 'failing',
      updatedAt: now,
    }),
  };
}

/** The class of an endpoint after an attempt: one failure may be chance. */
export function latencyClassAfter(before: LatencyClass, result: AttemptResult): LatencyClass {
  if (result.milliseconds >= slowMs) return 'slow';
  if (isSuccess(result)) return result.milliseconds < fastMs ? 'fast' : 'new';
  return before === 'fast' ? 'new' : 'slow';
}

function pauseUntil({ statusCode, retryAfter }: AttemptResult, now: Date): Date | null {
  if (!overloadStatuses.has(statusCode)) return null;
  return new Date(now.getTime() + (retryAfter ?? minPauseMs));
}

function failingSinceAfter(
  { failingSince }: Partial<WebhookEndpointDocument>,
  results: readonly AttemptResult[],
  now: Date,
): Date | null {
  if (!results.some(isSuccess)) return failingSince ?? now;
  const hasFailedLast = results.at(-1) !== results.findLast(isSuccess);
  return hasFailedLast ? now : null;
}

function failingDaysAfter(
  { failingDays }: Partial<WebhookEndpointDocument>,
  failingSince: Date | null,
  now: Date,
): string[] {
  if (failingSince === null) return [];
  const [first, today] = [dayOf(failingSince), dayOf(now)];
  const earlier = (failingDays ?? []).filter((day) => day >= first && day !== today);
  return [...earlier, today].slice(-maxFailingDays);
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
