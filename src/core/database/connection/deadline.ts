import { DatabaseUnavailableError } from './database-errors.js';

/**
 * Waits for work, but not longer than a number of milliseconds. The work itself continues.
 *
 * @throws DatabaseUnavailableError when the time is over
 */
export async function withinDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailableError()), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
