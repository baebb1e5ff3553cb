import { join } from 'node:path';
import base from '../../jest.config.mjs';

// Stryker's copy of the project.
const rootDir = process.cwd();

/**
 * The unit tests, with the sources in place of the compiled program: mutants are made of these.
 *
 * @type {import('jest').Config}
 */
export default {
  rootDir,
  testEnvironment: join(rootDir, 'test/support/jest-environment.mjs'),
  roots: ['<rootDir>/src'],
  // A mutant may wait indefinitely; these tests never do.
  testTimeout: 5_000,
  testMatch: [
    '**/{availability,change-log,contacts,documents,endpoints,leads,reservations,secrets,sending,units,values,writes,deliveries}/**/*.spec.ts',
  ],
  // Services decide nothing here and load slowly.
  testPathIgnorePatterns: ['/node_modules/', String.raw`\.service\.spec\.ts$`],
  extensionsToTreatAsEsm: base.extensionsToTreatAsEsm,
  moduleNameMapper: base.moduleNameMapper,
  transform: {
    '/node_modules/': join(rootDir, 'test/support/loaded-by-node.mjs'),
    '^.+\\.ts$': base.transform['^.+\\.ts$'],
  },
  // Decorators of the sources note what they know in the Reflect of the tests, which has to take it.
  setupFiles: ['reflect-metadata'],
  // Tests do not load the runner's modules.
  transformIgnorePatterns: ['/node_modules/(@?jest|@stryker-mutator|reflect-metadata)'],
};
