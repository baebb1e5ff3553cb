import { once } from 'node:events';

/** Stops the shared processes, and waits until their data is removed. */
export default async function globalTeardown() {
  const exited = once(globalThis.testEnvironment, 'exit');
  globalThis.testEnvironment.disconnect();
  await exited;
}
