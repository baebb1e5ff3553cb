import { once } from 'node:events';

/** Ends what all test files have shared, and waits until its data is removed. */
export default async function globalTeardown() {
  const exited = once(globalThis.testEnvironment, 'exit');
  globalThis.testEnvironment.disconnect();
  await exited;
}
