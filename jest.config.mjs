import { readFileSync } from 'node:fs';

// The build leaves tests out, Jest must not.
const { exclude: _tests, ...swc } = JSON.parse(readFileSync('.swcrc', 'utf8'));

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Its ES module loads JSON in a way that Jest warns of at every test file.
    '^libphonenumber-js$': '<rootDir>/node_modules/libphonenumber-js/index.cjs',
  },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  globalSetup: '<rootDir>/test/support/start-database.mjs',
  globalTeardown: '<rootDir>/test/support/stop-database.mjs',
  setupFiles: ['<rootDir>/test/support/load-decorators.ts'],
  // Only for what hangs: nothing is measured here, and machines may be busy.
  testTimeout: 120_000,
  // Many tests wait for processes and deadlines: one more than the two cores keeps them busy.
  maxWorkers: 3,
};
