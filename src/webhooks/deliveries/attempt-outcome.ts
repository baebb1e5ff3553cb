import { dayMs } from '../../core/values/time.js';
import type {
  LatencyClass,
  WebhookEndpointDocument,
} from '../endpoints/webhook-endpoint.schema.js';
import { visibleResponse } from './visible-response.js';
import type { DeliveryAttempt, WebhookDeliveryDocument } from './webhook-delivery.schema.js';

export const deliveryStatuses = [
  'pending',
  'delivered',
  'failed',
] as const satisfies readonly WebhookDeliveryDocument['status'][];

export interface AttemptResult extends Readonly<
  Omit<DeliveryAttempt, 'round' | 'attempt' | 'url'>
> {
  /** Requested delay in milliseconds. */
  readonly retryAfter: number | null;
}

/** Fields that an attempt changes. A retry keeps the status, because the endpoint may be disabled. */
export type DeliveryOutcome = Readonly<
  Pick<WebhookDeliveryDocument, 'attempts' | 'updatedAt'> &
    Partial<
      Pick<WebhookDeliveryDocument, 'status' | 'failureReason' | 'nextAttemptAt' | 'completedAt'>
    >
>;

export const attemptsPerRound = 10;

const firstDelayMs = 5_000;
const backoffFactor = 4;
const jitter = 0.2;

const goneStatus = 410;
const overloadStatuses: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);
const minPauseMs = 5_000;
/** Time without a success, and number of days with failures, that disable an endpoint (rule HOOK-7). */
const maxFailingDays = 5;
/** Successes within this time are fast (rule HOOK-8). */
const fastMs = 250;
const slowMs = 5_000;

/** @param previousAttempts finished attempts of the round, which also decide the delay (rule HOOK-6) */
export function attemptOutcome(
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
  const wait = Math.max(backoffMs(attempts, random), result.retryAfter ?? 0);
  return { ...attempted, nextAttemptAt: new Date(now.getTime() + wait) };
}

export function isSuccess({ statusCode }: AttemptResult): boolean {
  const status = statusCode ?? 0;
  return status >= 200 && status < 300;
}

/** With 410, the receiver asks for no further events. */
function isGoneResponse({ statusCode }: AttemptResult): boolean {
  return statusCode === goneStatus;
}

/** Returns milliseconds; `random`, from 0 to 1, spreads deliveries that failed together. */
export function backoffMs(failedAttempts: number, random: number): number {
  const base = Math.min(dayMs, firstDelayMs * backoffFactor ** (failedAttempts - 1));
  return Math.min(dayMs, Math.round(base * (1 - jitter + 2 * jitter * random)));
}

/** Returns at most a day in milliseconds; null without a valid header. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  // Stryker disable next-line ConditionalExpression: the string `undefined` is not a valid header either.
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Math.min(dayMs, Number(header) * 1_000);
  // Only HTTP's date format counts: `Date` itself parses almost anything.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header)) return null;
  const wait = Date.parse(header) - now.getTime();
  return Number.isNaN(wait) ? null : Math.min(dayMs, Math.max(0, wait));
}

/** Another program may have stored invalid subscriptions. */
export function hasValidEventTypes({ eventTypes }: WebhookEndpointDocument): boolean {
  return eventTypes === undefined || Array.isArray(eventTypes);
}

export interface EndpointAttempt {
  readonly delivery: Pick<WebhookDeliveryDocument, '_id' | 'objectId' | 'attempts' | 'erasedAt'>;
  readonly result: AttemptResult;
}

/** Decides by a batch's attempts in the order of their ends (rules HOOK-7 and HOOK-8). */
export function applyResults(
  before: Partial<WebhookEndpointDocument>,
  attempts: readonly EndpointAttempt[],
  now: Date,
): Partial<WebhookEndpointDocument> {
  const results = attempts.map(({ result }) => result);
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
    // Stryker disable next-line StringLiteral: one failure after any class but fast makes it slow.
    latencyClass: results.reduce<LatencyClass>(latencyClassAfter, before.latencyClass ?? 'new'),
    failingSince,
    failingDays,
    failedAttempts: failedAttemptsAfter(before, results),
    ...lastFailureOf(attempts),
    ...(results.some(isSuccess) && { lastSuccessAt: now }),
    pausedUntil: ends.length === 0 ? null : new Date(Math.max(...ends.map(Number))),
    // The attempts were signed, so the secrets could be opened.
    ...(before.fault && { fault: null }),
    ...(isDisabled && {
      isEnabled: false,
      disabledReason: isGone ? 'gone' : 'failing',
      updatedAt: now,
    }),
  };
}

/** A single failure may be random, so it does not make a fast endpoint slow. */
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

function failedAttemptsAfter(
  { failingSince, failedAttempts = 0 }: Partial<WebhookEndpointDocument>,
  results: readonly AttemptResult[],
): number {
  const earlier = failingSince && !results.some(isSuccess) ? failedAttempts : 0;
  return earlier + results.length - 1 - results.findLastIndex(isSuccess);
}

function lastFailureOf(
  attempts: readonly EndpointAttempt[],
): Pick<WebhookEndpointDocument, 'lastFailure'> {
  const last = attempts.findLast(({ result }) => !isSuccess(result));
  if (last === undefined) return {};
  const { delivery, result } = last;
  const { _id: deliveryId, objectId, attempts: previous, erasedAt = null } = delivery;
  const { startedAt: at, statusCode, error } = result;
  const excerpt = erasedAt === null ? visibleResponse(result) : null;
  const attempt = previous + 1;
  return { lastFailure: { at, statusCode, error, attempt, excerpt, deliveryId, objectId } };
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
