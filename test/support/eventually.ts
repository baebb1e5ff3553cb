import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs a check again and again until it passes.
 *
 * @throws what the check threw last when the time is over
 */
export async function eventually(check: () => unknown, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}
