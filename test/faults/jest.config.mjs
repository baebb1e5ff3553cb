import { join } from 'node:path';
import base from '../../jest.config.mjs';

const rootDir = join(import.meta.dirname, '../..');

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir,
  roots: ['<rootDir>/test/faults'],
  testMatch: ['**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // A million operations of histories take two hours on a small machine.
  testTimeout: 4 * 3_600_000,
  // Times are promised here, so no more at once than a small machine has processors for.
  maxWorkers: 2,
  // What a failed test was waiting for may never come.
  forceExit: true,
};
