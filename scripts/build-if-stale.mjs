// Builds `dist` when a source is newer than the last build, so that no npm script runs old code. One process builds at
// a time, and overwrites the last build file by file, because other processes may be running it.
// Until its first check has passed, this also runs on the system's Node, before `npm ci`.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';

const configuration = ['nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', '.swcrc'];
/** Written last, so that an interrupted build counts as stale. Its time is that at which the build began. */
const stamp = 'dist/.built';
const lock = 'node_modules/.cache/build.lock';
const nest = 'node_modules/@nestjs/cli/bin/nest.js';

if (!fs.existsSync('node_modules')) fail('The packages are not installed: run `npm ci` first.');
if (Number(process.versions.node.split('.')[0]) < 24) {
  const { node } = process.versions;
  fail(
    `Node 24 or newer is required, this is ${node}: install it, or run \`npm ci\`, after which the npm ` +
      'scripts use their own.',
  );
}
// A container image contains only the build.
if (fs.existsSync('src') && isStale(outputsBySource())) {
  if (!fs.existsSync(nest)) {
    fail('The build is stale, and the build tools are not installed: run `npm ci` first.');
  }
  lockBuild();
  let failure;
  try {
    // Another process may have built while this one waited for the lock.
    const outputs = outputsBySource();
    if (isStale(outputs)) failure = build(outputs);
  } finally {
    fs.rmSync(lock, { force: true });
  }
  if (failure !== undefined) fail(failure);
}

/** Maps inputs of the build to outputs. Omits other files, because editors leave some in the folders. */
function outputsBySource() {
  const { compilerOptions } = JSON.parse(fs.readFileSync('nest-cli.json', 'utf8'));
  const outputs = [{ include: '**/*.{ts,tsx}' }, ...compilerOptions.assets].flatMap(
    ({ include, outDir = 'dist' }) =>
      fs
        .globSync(include, { cwd: 'src' })
        .map((source) => join('src', source))
        .filter(isSource)
        // Nest drops the first folder of a path.
        .map((source) => [source, join(outDir, source.replace(/^.*?\//, ''))]),
  );
  return new Map(outputs.map(([source, output]) => [source, output.replace(/\.tsx?$/, '.js')]));
}

function isSource(path) {
  return (
    !path.endsWith('.spec.ts') && !basename(path).startsWith('.') && fs.statSync(path).isFile()
  );
}

function isStale(outputs) {
  const builtAt = changedAt(stamp);
  return (
    [...configuration, ...outputs.keys()].some((file) => changedAt(file) > builtAt) ||
    [...outputs.values()].some((file) => !fs.existsSync(file))
  );
}

/** Returns 0 for a file that does not exist. */
function changedAt(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Returns the output of the compiler if the build fails. */
function build(outputs) {
  const startedAt = new Date();
  report('Building the service ...');
  const { status, stdout, stderr } = spawnSync(process.execPath, [nest, 'build'], {
    encoding: 'utf8',
  });
  if (status !== 0) return `\nThe build failed:\n${stdout}${stderr}`;
  const built = new Set(outputs.values());
  for (const output of fs.globSync('dist/**/*.{js,map}')) {
    // A folder may have the name of a package such as `chart.js`.
    if (fs.statSync(output).isDirectory() || built.has(output.replace(/\.map$/, ''))) continue;
    fs.rmSync(output);
  }
  fs.writeFileSync(stamp, '');
  fs.utimesSync(stamp, startedAt, startedAt);
  report(` done in ${((Date.now() - startedAt.getTime()) / 1_000).toFixed(1)} s\n`);
  return undefined;
}

/** Waits until no other process builds. The lock is a link to the id of its owner, because one step creates both. */
function lockBuild() {
  fs.mkdirSync('node_modules/.cache', { recursive: true });
  for (;;) {
    try {
      fs.symlinkSync(String(process.pid), lock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isOwned()) fs.rmSync(lock, { force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

/** Returns whether the owner of the lock is alive. */
function isOwned() {
  try {
    return process.kill(Number(fs.readlinkSync(lock)), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Prints progress only on a terminal. */
function report(text) {
  if (process.stderr.isTTY) process.stderr.write(text);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
