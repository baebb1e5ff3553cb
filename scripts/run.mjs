// Runs an entry point (`main` or `cli`), and compiles and bundles the sources first when the bundle is
// missing or older than they are, so that no command ever runs yesterday's code.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist', 'main.js');
const inputs = [
  'src',
  'scripts/bundle.mjs',
  'package.json',
  'tsconfig.json',
  'nest-cli.json',
  '.swcrc',
];

function newest(path) {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function buildWhenStale() {
  // An image holds the bundle alone.
  if (!existsSync(join(root, 'src')) && existsSync(built)) return;
  const builtAt = existsSync(built) ? statSync(built).mtimeMs : 0;
  if (Math.max(...inputs.map((name) => newest(join(root, name)))) <= builtAt) return;
  if (!existsSync(join(root, 'node_modules', '@nestjs', 'cli'))) {
    fail(
      'The build is missing or stale, and the build tools are not installed: run `npm ci` first.',
    );
  }
  build('node_modules/@nestjs/cli/bin/nest.js', 'build');
  build('scripts/bundle.mjs');
}

function build(...command) {
  const result = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
  if (result.status !== 0) fail(`The build failed:\n${result.stdout}${result.stderr}`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < 24) {
  fail(
    `Node 24 or newer is needed, this is ${process.version}. Use the npm scripts: they bring their own.`,
  );
}
buildWhenStale();
const [entry] = process.argv.slice(2);
if (entry !== '--build-only') {
  process.argv.splice(1, 2, join(root, 'dist', `${entry}.js`));
  await import(pathToFileURL(process.argv[1]).href);
}
