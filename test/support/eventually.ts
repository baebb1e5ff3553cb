import { setTimeout as delay } from 'node:timers/promises';

/** For what no time is promised for: only what hangs takes so long. */
const timeoutMs = 60_000;
/** Polls quickly at first, then less often, so that polling does not slow down long work. */
const [firstPauseMs, longestPauseMs] = [5, 50];

/**
 * Runs a check again and again until it passes.
 *
 * @param milliseconds how soon it has to pass, where that is promised
 *
 * @throws what the check threw last when the time is over
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
