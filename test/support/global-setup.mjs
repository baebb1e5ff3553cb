import { fork } from 'node:child_process';
import { join } from 'node:path';
import { firstMessage } from './first-message.mjs';

/** Where all processes of the tests keep compiled code, so that the next one starts sooner. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/compiled');

/** Starts what all test files share, and passes its addresses on to them. */
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
