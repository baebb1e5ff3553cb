import { join } from 'node:path';
import base from '../../jest.config.mjs';

const { testSequencer: _order, ...config } = base;

/** @type {import('jest').Config} */
export default {
  ...config,
  rootDir: join(import.meta.dirname, '../..'),
  roots: ['<rootDir>/test/browser'],
  testMatch: ['**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // A browser takes all the processors that there are.
  maxWorkers: 1,
  testTimeout: 1_800_000,
};
