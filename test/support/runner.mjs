// Jest's own runner, of which each test file gets a new copy, but not of the packages that the
// runner uses: to load `expect` and its like anew took longer than the tests of most files.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import runner from 'jest-circus/runner';

const require = createRequire(import.meta.url);
const runnerFile = fileURLToPath(import.meta.resolve('jest-circus/runner'));
const framework = join(dirname(runnerFile), 'jestAdapterInit.js');

export default function run(globalConfig, config, environment, runtime, ...rest) {
  const loadInternally = runtime.requireInternalModule.bind(runtime);
  runtime.requireInternalModule = (file, ...names) =>
    file === framework ? newFramework() : loadInternally(file, ...names);
  return runner.default(globalConfig, config, environment, runtime, ...rest);
}

function newFramework() {
  delete require.cache[framework];
  // Where it keeps its listeners; those of the file before are no longer wanted.
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  return require(framework);
}
