import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts what all test files share, and passes its addresses on to them. */
export default async function startSurroundings() {
  const child = fork(join(import.meta.dirname, 'surroundings.mjs'));
  globalThis.testSurroundings = child;
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`What the tests share could not start: it ended with ${code}.`);
  });
  const [variables] = await Promise.race([once(child, 'message'), exited]);
  exited.catch(() => undefined);
  Object.assign(process.env, variables);
}
