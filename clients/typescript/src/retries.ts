import { setTimeout as delay } from 'node:timers/promises';
import { NoResponseError } from './errors.js';

/** Limits of retries. The wait of a long poll is added to both timeouts. */
export interface RetryPolicy {
  /** Maximum number of attempts, including the first one. */
  readonly attempts: number;
  /** Limit of one attempt, including the body of the response. */
  readonly attemptTimeoutMs: number;
  /** Limit of all attempts and pauses together. */
  readonly totalTimeoutMs: number;
  /** Pause after the first attempt. It doubles with each attempt and is shortened by a random part of up to a half. */
  readonly initialPauseMs: number;
  readonly maxPauseMs: number;
}

/** Clock and randomness, which tests replace. */
export interface Runtime {
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** A response whose body has been read. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const defaultPolicy: RetryPolicy = {
  attempts: 6,
  attemptTimeoutMs: 20_000,
  totalTimeoutMs: 60_000,
  initialPauseMs: 500,
  maxPauseMs: 20_000,
};

export const defaultRuntime: Runtime = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  random: () => Math.random(),
};

/** These are safe to retry, because the `Idempotency-Key` keeps a POST from taking effect twice. */
const retryableStatuses = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * Repeats a request until its response is final or a limit is reached.
 *
 * @throws NoResponseError if the last attempt received no response
 * @throws the reason of an aborted signal
 */
export async function withRetries(
  attempt: (signal: AbortSignal) => Promise<RawResponse>,
  policy: RetryPolicy,
  { now, sleep, random }: Runtime,
  signal?: AbortSignal,
): Promise<RawResponse> {
  const deadline = now() + policy.totalTimeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted();
    const outcome = await attemptOnce(
      attempt,
      Math.min(policy.attemptTimeoutMs, deadline - now()),
      signal,
    );
    if ('response' in outcome && !isRetryable(outcome.response)) return outcome.response;
    const pause = pauseAfter(attempts, outcome, policy, random(), now());
    if (attempts >= policy.attempts || now() + pause >= deadline) {
      if ('response' in outcome) return outcome.response;
      throw new NoResponseError(attempts, outcome.error);
    }
    await pauseFor(pause, sleep, signal);
  }
}

/** @throws the reason of an aborted signal */
export async function pauseFor(
  milliseconds: number,
  sleep: Runtime['sleep'],
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await sleep(milliseconds, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

type Outcome = { readonly response: RawResponse } | { readonly error: unknown };

async function attemptOnce(
  attempt: (signal: AbortSignal) => Promise<RawResponse>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
  try {
    return { response: await attempt(signal ? AbortSignal.any([signal, timeout]) : timeout) };
  } catch (error) {
    signal?.throwIfAborted();
    return { error };
  }
}

export function isRetryable({ status }: Pick<RawResponse, 'status'>): boolean {
  return retryableStatuses.has(status);
}

function pauseAfter(
  attempts: number,
  outcome: Outcome,
  { initialPauseMs, maxPauseMs }: RetryPolicy,
  jitter: number,
  now: number,
): number {
  const backoff = Math.min(maxPauseMs, initialPauseMs * 2 ** (attempts - 1));
  const waitMs = 'response' in outcome ? retryAfterMs(outcome.response.headers, now) : undefined;
  // Jitter keeps clients with the same `Retry-After` from returning at the same moment. It never shortens that time.
  return waitMs === undefined ? backoff * (1 - jitter / 2) : waitMs + (initialPauseMs * jitter) / 2;
}

/** Returns the milliseconds until the time in `Retry-After`, which contains seconds or a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
