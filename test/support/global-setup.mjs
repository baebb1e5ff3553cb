import { fork } from 'node:child_process';
import { join } from 'node:path';
import { firstMessage } from './first-message.mjs';

/** All processes of the tests store compiled code in this folder, so that later processes start sooner. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/compiled');

/** Starts the database and the service that all test files share, and passes their addresses on in `process.env`. */
export default async function globalSetup() {
  process.env.NODE_COMPILE_CACHE = compileCache;
  const child = fork(join(import.meta.dirname, 'test-environment.mjs'));
  globalThis.testEnvironment = child;
  try {
    Object.assign(process.env, await firstMessage(child));
  } catch (error) {
    throw new Error('The environment of the tests could not start.', { cause: error });
  }
}
