import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts what all test files share, and tells them where it is. */
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
