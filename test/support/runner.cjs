// Jest's own runner, of which each test file gets a new copy, but not of the packages that the
// runner uses: to load `expect` and its like anew took longer than the tests of most files.
const { createRequire } = require('node:module');

const runnerFile = require.resolve('jest-circus/runner');
const { default: run } = require(runnerFile);
const framework = createRequire(runnerFile).resolve('./jestAdapterInit');

module.exports = (globalConfig, config, environment, runtime, ...rest) => {
  const loadInternally = runtime.requireInternalModule.bind(runtime);
  runtime.requireInternalModule = (file, ...names) =>
    file === framework ? newFramework() : loadInternally(file, ...names);
  return run(globalConfig, config, environment, runtime, ...rest);
};

function newFramework() {
  delete require.cache[framework];
  // Its state and its listeners are kept at the global object.
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  return require(framework);
}
