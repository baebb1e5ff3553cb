import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Where all processes of the tests keep compiled code, so that the next one starts sooner. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/compiled');

/** Starts what all test files share, and passes its addresses on to them. */
export default async function startSurroundings() {
  process.env.NODE_COMPILE_CACHE = compileCache;
  const child = fork(join(import.meta.dirname, 'surroundings.mjs'));
  globalThis.testSurroundings = child;
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`What the tests share could not start: it ended with ${code}.`);
  });
  const [variables] = await Promise.race([once(child, 'message'), exited]);
  exited.catch(() => undefined);
  Object.assign(process.env, variables);
}
