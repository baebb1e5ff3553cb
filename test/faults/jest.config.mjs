import { join } from 'node:path';
import base from '../../jest.config.mjs';

const rootDir = join(import.meta.dirname, '../..');

// The processes of the tests keep compiled code, so that the next one starts sooner.
process.env.NODE_COMPILE_CACHE ??= join(rootDir, 'node_modules/.cache/compiled');

// What the quick tests share is not started: each file has databases and services of its own to break.
const { globalSetup: _start, globalTeardown: _stop, testSequencer: _order, ...config } = base;

/** @type {import('jest').Config} */
export default {
  ...config,
  rootDir,
  roots: ['<rootDir>/test/faults'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 3_600_000,
  // Times are promised here, so no more at once than a small machine has processors for.
  maxWorkers: 2,
  // What a failed test was waiting for may never come.
  forceExit: true,
};
