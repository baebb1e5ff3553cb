import { globSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// The same that the processes of the tests use: the run of one feature starts sooner.
enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/compiled'));

// The build leaves tests out, Jest must not; no test has JSX.
const { exclude: _tests, ...swc } = JSON.parse(readFileSync('.swcrc', 'utf8'));
swc.jsc.parser.tsx = false;

/** Packages that tests use, or that they have in common with the program. */
const packages =
  '@nestjs/(common|core|mongoose|platform-fastify)|@opentelemetry/(api|context-async-hooks)|csv-parse|fast-check|' +
  'mongodb|mongodb-memory-server|mongoose|standardwebhooks|supertest|undici|yaml';

const quick = ['**/*.spec.ts', '**/*.e2e-spec.ts'];
/** Those that start programs or several instances, wait for networks, or work on much data. */
const slow = ['**/*.slow-spec.ts'];

/** Parts of paths of test files that the command line names. */
const named = process.argv.slice(2).filter((argument) => /^[^-/].*\//.test(argument));

/** The quick ones, unless slow ones are asked for, or nothing else has the named paths. */
function chosen() {
  if (process.env.TEST_KIND === 'slow') return slow;
  const files = globSync(['src/**/*.spec.ts', 'test/**/*.{spec,e2e-spec}.ts']);
  const isQuick = files.some((file) => named.some((path) => file.includes(path)));
  return named.length === 0 || isQuick ? quick : slow;
}

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  testRunner: '<rootDir>/test/support/runner.mjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: chosen(),
  // These break databases and processes, or start a browser, and have commands of their own.
  testPathIgnorePatterns: ['/node_modules/', '/test/faults/', '/test/browser/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    [`${import.meta.dirname}/src/.*(?<!spec)\\.tsx?$`]: '<rootDir>/test/support/loaded-by-node.mjs',
    [`/node_modules/(${packages})/`]: '<rootDir>/test/support/loaded-by-node.mjs',
    '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${packages})/)`],
  globalSetup: '<rootDir>/test/support/start-surroundings.mjs',
  globalTeardown: '<rootDir>/test/support/stop-surroundings.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Only for what hangs: nothing is measured here, and machines may be busy.
  testTimeout: 300_000,
  // On a busy machine a worker's end takes longer than the half second that Jest gives it.
  workerGracefulExitTimeout: 10_000,
  // Many tests wait for processes and deadlines: one more than the two cores keeps them busy. For a few
  // files its start takes longer than it saves.
  maxWorkers: named.length > 0 ? 2 : 3,
};
