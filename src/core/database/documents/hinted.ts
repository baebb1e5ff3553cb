import { isBadValue } from '../connection/database-errors.js';

/**
 * Reads along an index that is known to be better than what the server may choose; without it while
 * there is no such index.
 *
 * @param hint its name; undefined leaves the choice to the server
 * @param read gets the option for it
 */
export async function hinted<R>(
  hint: string | undefined,
  read: (options: { readonly hint?: string }) => Promise<R>,
): Promise<R> {
  if (hint === undefined) return read({});
  try {
    return await read({ hint });
  } catch (error) {
    if (!isBadValue(error)) throw error;
    return read({});
  }
}
