import { join } from 'node:path';
import base from '../../jest.config.mjs';

// Stryker runs this in its copy of the project.
const rootDir = process.cwd();

/**
 * Runs the unit tests on the sources instead of the compiled program, because Stryker mutates the sources.
 *
 * @type {import('jest').Config}
 */
export default {
  rootDir,
  testEnvironment: join(rootDir, 'test/support/jest-environment.mjs'),
  roots: ['<rootDir>/src'],
  // A mutant may wait indefinitely, while the tests themselves need less time.
  testTimeout: 5_000,
  testMatch: [
    '**/{availability,change-log,contacts,documents,endpoints,leads,reservations,secrets,sending,units,values,writes,deliveries}/**/*.spec.ts',
  ],
  // Services make no pure decisions and load slowly.
  testPathIgnorePatterns: ['/node_modules/', String.raw`\.service\.spec\.ts$`],
  extensionsToTreatAsEsm: base.extensionsToTreatAsEsm,
  moduleNameMapper: base.moduleNameMapper,
  transform: {
    '/node_modules/': join(rootDir, 'test/support/loaded-by-node.mjs'),
    '^.+\\.ts$': base.transform['^.+\\.ts$'],
  },
  // Decorators in the sources need the metadata functions in the Reflect of the tests.
  setupFiles: ['reflect-metadata'],
  // Tests do not load modules of the test runner.
  transformIgnorePatterns: ['/node_modules/(@?jest|@stryker-mutator|reflect-metadata)'],
};
