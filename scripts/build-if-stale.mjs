// Builds `dist` unless every source has a newer output there, so that no npm script runs old code.
// Until its first check has passed, this also runs on the system's Node, before `npm ci`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const configuration = ['nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', '.swcrc'];

/** 0 for a file that does not exist. */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isStale() {
  const configuredAt = Math.max(...configuration.map(changedAt));
  return readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .some((source) => {
      const output = source.replace(/^src/, 'dist').replace(/\.tsx?$/, '.js');
      return changedAt(output) < Math.max(changedAt(source), configuredAt);
    });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (!existsSync('node_modules')) {
  fail('The packages are not installed: run `npm ci` first.');
}
if (Number(process.versions.node.split('.')[0]) < 24) {
  fail(
    `This is Node ${process.versions.node}, and 24 or newer is needed: use the npm scripts, which bring it.`,
  );
}
// A container image has the build alone.
if (existsSync('src') && isStale()) {
  const nest = 'node_modules/@nestjs/cli/bin/nest.js';
  if (!existsSync(nest))
    fail('The build is outdated and the build tools are not installed: run `npm ci` first.');
  const startedAt = Date.now();
  if (process.stderr.isTTY) process.stderr.write('Building the service ...');
  const { status, stdout, stderr } = spawnSync(process.execPath, [nest, 'build'], {
    encoding: 'utf8',
  });
  if (status !== 0) fail(`\nThe build failed:\n${stdout}${stderr}`);
  if (process.stderr.isTTY)
    process.stderr.write(` done in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}
