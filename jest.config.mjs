import { globSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, matchesGlob } from 'node:path';

// Shared with the tests' own processes, so that a run of one feature starts sooner.
enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/compiled'));

// The build leaves tests out, Jest must not; no test has JSX.
const { exclude: _tests, ...swc } = JSON.parse(readFileSync('.swcrc', 'utf8'));
swc.jsc.parser.tsx = false;

/** Packages that tests use, or that they have in common with the program. */
const packages =
  '@nestjs/(common|core|mongoose|platform-fastify)|@opentelemetry/(api|context-async-hooks)|csv-parse|fast-check|' +
  'mongodb|mongodb-memory-server|mongoose|standardwebhooks|supertest|undici|yaml';

/** How each kind of tests is found and run; a path is looked for in this order. */
const kinds = {
  quick: {
    testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
    testPathIgnorePatterns: ['/node_modules/', '/test/(faults|browser)/'],
    // Many tests wait for processes and deadlines: one more than the two cores keeps them busy.
    maxWorkers: 3,
  },
  // They start programs or several instances, wait for networks, or work on much data.
  slow: { testMatch: ['**/*.slow-spec.ts'], maxWorkers: 3 },
  // A browser uses all processors.
  browser: { testMatch: ['**/test/browser/**/*.e2e-spec.ts'], maxWorkers: 1 },
  // They break databases and processes.
  faults: {
    testMatch: ['**/test/faults/**/*.e2e-spec.ts'],
    // A million operations of histories take two hours on a small machine.
    testTimeout: 4 * 3_600_000,
    // Deadlines are tested here, so at most as many workers as a small machine has processors.
    maxWorkers: 2,
    // A failed test may wait indefinitely.
    forceExit: true,
  },
};

/** Parts of paths of test files that the command line names. */
const named = process.argv.slice(2).filter((argument) => /^[^-]/.test(argument));

function chosenKind() {
  const { TEST_KIND = 'quick' } = process.env;
  if (!(TEST_KIND in kinds)) {
    throw new Error(`There is no kind ${TEST_KIND}; there are ${Object.keys(kinds).join(', ')}.`);
  }
  if (process.env.TEST_KIND !== undefined || named.length === 0) return kinds[TEST_KIND];
  const files = globSync(['src/**/*.spec.ts', 'test/**/*spec.ts']);
  const matching = files.filter((file) => named.some((part) => file.includes(part)));
  const holds = ({ testMatch, testPathIgnorePatterns = [] }) =>
    matching.some(
      (file) =>
        testMatch.some((pattern) => matchesGlob(file, pattern)) &&
        !testPathIgnorePatterns.some((pattern) => new RegExp(pattern).test(`/${file}`)),
    );
  // For a few files the start of a third worker takes longer than it saves.
  return { ...(Object.values(kinds).find(holds) ?? kinds.quick), maxWorkers: 2 };
}

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    [`${import.meta.dirname}/src/.*(?<!spec)\\.tsx?$`]: '<rootDir>/test/support/loaded-by-node.mjs',
    [`/node_modules/(${packages})/`]: '<rootDir>/test/support/loaded-by-node.mjs',
    '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${packages})/)`],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Only for hanging tests: nothing is measured, and machines may be busy.
  testTimeout: 300_000,
  // On a busy machine a worker exits later than the half second that Jest allows.
  workerGracefulExitTimeout: 10_000,
  ...chosenKind(),
};
