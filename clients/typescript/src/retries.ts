import { setTimeout as delay } from 'node:timers/promises';
import { NoAnswerError } from './errors.js';

/**
 * When a request is sent again, all in milliseconds but the number of tries. What a request asks the server
 * to wait comes on top of both timeouts.
 */
export interface RetryPolicy {
  /** At most, the first one included. */
  readonly tries: number;
  /** For one try, the body of the answer included. */
  readonly tryTimeoutMs: number;
  /** For all tries and the pauses between them. */
  readonly totalTimeoutMs: number;
  /** The pause after the first try; it doubles with each further one, less up to a half by chance. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** What time and chance are, so that tests can say. */
export interface Surroundings {
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** An answer that has come whole. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const defaultPolicy: RetryPolicy = {
  tries: 6,
  tryTimeoutMs: 20_000,
  totalTimeoutMs: 60_000,
  firstPauseMs: 500,
  longestPauseMs: 20_000,
};

export const realSurroundings: Surroundings = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  random: () => Math.random(),
};

/** Nothing was done, it is still being done (409), or a repetition does it once: see `Idempotency-Key`. */
const temporary = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * Tries until there is an answer that another try would not change, and not beyond the limits.
 *
 * @throws NoAnswerError when the last try had none
 * @throws the reason of the signal, once it is aborted
 */
export async function withRetries(
  attempt: (signal: AbortSignal) => Promise<RawAnswer>,
  policy: RetryPolicy,
  { now, sleep, random }: Surroundings,
  signal?: AbortSignal,
): Promise<RawAnswer> {
  const deadline = now() + policy.totalTimeoutMs;
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    const outcome = await once(attempt, Math.min(policy.tryTimeoutMs, deadline - now()), signal);
    if ('answer' in outcome && !isTemporary(outcome.answer)) return outcome.answer;
    const pause = pauseAfter(tries, outcome, policy, random(), now());
    if (tries >= policy.tries || now() + pause >= deadline) {
      if ('answer' in outcome) return outcome.answer;
      throw new NoAnswerError(tries, outcome.error);
    }
    await pauseFor(pause, sleep, signal);
  }
}

/**
 * Sleeps.
 *
 * @throws the reason of the signal, once it is aborted
 */
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

type Outcome = { readonly answer: RawAnswer } | { readonly error: unknown };

async function once(
  attempt: (signal: AbortSignal) => Promise<RawAnswer>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
  try {
    return { answer: await attempt(signal ? AbortSignal.any([signal, timeout]) : timeout) };
  } catch (error) {
    signal?.throwIfAborted();
    return { error };
  }
}

/** Whether another try may have another answer. */
export function isTemporary({ status }: Pick<RawAnswer, 'status'>): boolean {
  return temporary.has(status);
}

function pauseAfter(
  tries: number,
  outcome: Outcome,
  { firstPauseMs, longestPauseMs }: RetryPolicy,
  chance: number,
  now: number,
): number {
  const doubled = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
  const asked = 'answer' in outcome ? retryAfterMs(outcome.answer.headers, now) : undefined;
  // Not all who were told the same time come back at the same moment, and none comes earlier.
  return asked === undefined ? doubled * (1 - chance / 2) : asked + (firstPauseMs * chance) / 2;
}

/** `Retry-After` in milliseconds from now on: it is in seconds, or a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
