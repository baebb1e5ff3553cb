import { globSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, matchesGlob } from 'node:path';

// The processes that tests start share this cache, so that a run of one feature starts sooner.
enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/compiled'));

// The build excludes tests, but Jest needs them. No test has JSX.
const { exclude: _tests, ...swc } = JSON.parse(readFileSync('.swcrc', 'utf8'));
swc.jsc.parser.tsx = false;

/** Node loads these packages once per worker, because tests use them a lot or share them with the program. */
const packages =
  '@nestjs/(common|core|mongoose|platform-fastify)|@opentelemetry/(api|context-async-hooks)|csv-parse|fast-check|' +
  'libphonenumber-js|mongodb|mongodb-memory-server|mongoose|standardwebhooks|supertest|undici|yaml';

/** Defines how to find and run each kind of tests. The first kind that contains a named path runs. */
const kinds = {
  quick: {
    testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
    testPathIgnorePatterns: ['/node_modules/', '/test/(faults|browser)/'],
    // Many tests only wait for processes and deadlines, so it takes three workers to keep two cores busy.
    maxWorkers: 3,
  },
  // Slow tests start programs or several instances, wait for networks, or need much data.
  slow: { testMatch: ['**/*.slow-spec.ts'], maxWorkers: 3 },
  // A single browser already uses all processors.
  browser: { testMatch: ['**/test/browser/**/*.e2e-spec.ts'], maxWorkers: 1 },
  // Fault tests break databases and processes.
  faults: {
    testMatch: ['**/test/faults/**/*.e2e-spec.ts'],
    // On a small machine, the check of a million recorded operations takes two hours.
    testTimeout: 4 * 3_600_000,
    // Tests of deadlines need a processor for each worker, and a small machine has two.
    maxWorkers: 2,
    // A failed test may wait indefinitely.
    forceExit: true,
  },
};

/** The command line names test files by parts of their paths. */
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
  // This timeout only ends hanging tests, because a busy machine may be slow.
  testTimeout: 300_000,
  // On a busy machine, a worker needs longer to exit than the half second that Jest allows.
  workerGracefulExitTimeout: 10_000,
  ...chosenKind(),
};
