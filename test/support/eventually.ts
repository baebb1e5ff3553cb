import { setTimeout as delay } from 'node:timers/promises';

/** For conditions without a promised time: only a hanging one takes so long. */
const timeoutMs = 60_000;
/** Polls quickly at first, then less often, so that polling does not slow down long work. */
const [firstPauseMs, longestPauseMs] = [5, 50];

/** @param milliseconds the promised time, if there is one */
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
