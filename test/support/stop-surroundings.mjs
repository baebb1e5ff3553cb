import { once } from 'node:events';

/** Ends what all test files have shared, and waits until its data is removed. */
export default async function stopSurroundings() {
  const exited = once(globalThis.testSurroundings, 'exit');
  globalThis.testSurroundings.disconnect();
  await exited;
}
