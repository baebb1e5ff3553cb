import { setTimeout as delay } from 'node:timers/promises';

/** The server's code for a collection that is not there. */
export const namespaceNotFound = 26;
/** The server's code for an index that is not there. */
export const indexNotFound = 27;
/** The server's code for a change of what another process is changing. */
export const conflictingOperation = 117;

/** The server's code while an index of the collection is being built. */
const indexBuildRunning = 12_587;
const retryDelayMs = 250;

/** Does what the server refuses while another process builds an index of the collection, when that is over. */
export async function betweenIndexBuilds<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== indexBuildRunning) throw error;
    }
    await delay(retryDelayMs);
  }
}

/** Lets an error of the server with this code pass. */
export function unless(expectedCode: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as { code?: unknown }).code !== expectedCode) throw error;
    return undefined;
  };
}
