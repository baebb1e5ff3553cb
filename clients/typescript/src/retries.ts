import { setTimeout as delay } from 'node:timers/promises';
import { NoResponseError } from './errors.js';

/** When to retry, in milliseconds. The wait of a long poll is added to both timeouts. */
export interface RetryPolicy {
  /** Maximum number, including the first attempt. */
  readonly attempts: number;
  /** Limit of one attempt, including the body of the response. */
  readonly attemptTimeoutMs: number;
  /** Limit of all attempts and pauses together. */
  readonly totalTimeoutMs: number;
  /** Pause after the first attempt; doubles each time, minus a random part of up to a half. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Clock and randomness, replaced by tests. */
export interface Surroundings {
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** 0 to 1. */
  readonly random: () => number;
}

/** A complete response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const defaultPolicy: RetryPolicy = {
  attempts: 6,
  attemptTimeoutMs: 20_000,
  totalTimeoutMs: 60_000,
  firstPauseMs: 500,
  longestPauseMs: 20_000,
};

export const realSurroundings: Surroundings = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  random: () => Math.random(),
};

/** Safe to retry: without effect, still running (409), or idempotent by `Idempotency-Key`. */
const temporary = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * Repeats a request until its response is final or a limit is reached.
 *
 * @throws NoResponseError if the last attempt got none
 * @throws the reason of an aborted signal
 */
export async function withRetries(
  attempt: (signal: AbortSignal) => Promise<RawResponse>,
  policy: RetryPolicy,
  { now, sleep, random }: Surroundings,
  signal?: AbortSignal,
): Promise<RawResponse> {
  const deadline = now() + policy.totalTimeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted();
    const outcome = await once(
      attempt,
      Math.min(policy.attemptTimeoutMs, deadline - now()),
      signal,
    );
    if ('response' in outcome && !isTemporary(outcome.response)) return outcome.response;
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
  sleep: Surroundings['sleep'],
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

async function once(
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

export function isTemporary({ status }: Pick<RawResponse, 'status'>): boolean {
  return temporary.has(status);
}

function pauseAfter(
  attempts: number,
  outcome: Outcome,
  { firstPauseMs, longestPauseMs }: RetryPolicy,
  chance: number,
  now: number,
): number {
  const doubled = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  const asked = 'response' in outcome ? retryAfterMs(outcome.response.headers, now) : undefined;
  // Jitter, so that clients with the same `Retry-After` do not return at once, and none returns early.
  return asked === undefined ? doubled * (1 - chance / 2) : asked + (firstPauseMs * chance) / 2;
}

/** Milliseconds of `Retry-After`, which is in seconds or a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
