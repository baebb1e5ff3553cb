import { setTimeout as delay } from 'node:timers/promises';

/** A safety limit for hanging waits. Callers pass their own limit where a rule promises a time. */
const timeoutMs = 60_000;
/** The pauses grow, so that polling does not slow down long work. */
const [initialPauseMs, maxPauseMs] = [5, 50];

/**
 * Repeats the check until it no longer throws.
 *
 * @param milliseconds the promised time, if any
 */
export async function eventually(check: () => unknown, milliseconds = timeoutMs): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (let pause = initialPauseMs; ; pause = Math.min(2 * pause, maxPauseMs)) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(pause);
    }
  }
}
