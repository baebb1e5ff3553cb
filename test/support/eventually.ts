import { setTimeout as delay } from 'node:timers/promises';

/** This limit only ends hanging waits: conditions with a promised time pass their own limit. */
const timeoutMs = 60_000;
/** Polling starts fast and becomes slower, so that it does not slow down long work. */
const [firstPauseMs, longestPauseMs] = [5, 50];

/**
 * Repeats the check until it no longer throws.
 *
 * @param milliseconds the promised time, if there is one
 */
export async function eventually(check: () => unknown, milliseconds = timeoutMs): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(pause);
    }
  }
}
