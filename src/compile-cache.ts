import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Keeps the compiled code of the program and its packages for the next start, which then takes two
 * thirds of the time; where the folder cannot be written nothing is kept. To be called before
 * anything else is imported, because what comes earlier is compiled anew each time.
 */
export function keepCompiledCode(): void {
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
}

/** Stores what was compiled until now; at the latest it is stored when the process exits by itself. */
export function storeCompiledCode(): void {
  flushCompileCache();
}
