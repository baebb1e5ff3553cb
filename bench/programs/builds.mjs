// The versions of the service that are compared: this working copy, and a commit that is built in a folder of its own.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { progress } from '../report.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const cacheFolder = join(root, 'node_modules/.cache/bench-builds');

/** A build is the folder whose `dist` runs, and a name for the tables. */
export const thisBuild = { name: 'this', root };

/** The build of a commit, a tag or a branch; built once. */
export async function buildOf(revision) {
  const { stdout } = await run('git', ['rev-parse', '--short=12', revision], { cwd: root });
  const commit = stdout.trim();
  const folder = join(cacheFolder, commit);
  if (!existsSync(folder)) {
    progress(`Building ${commit}`);
    await build(commit, `${folder}.building`);
    await rename(`${folder}.building`, folder);
  }
  return { name: revision, root: folder };
}

async function build(commit, folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(cacheFolder, { recursive: true });
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder]);
  await run('git', ['checkout', '--quiet', commit], { cwd: folder });
  if ((await lockOf(folder)) === (await lockOf(root))) {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  } else {
    await run('npm', ['ci', '--ignore-scripts'], { cwd: folder });
  }
  await run('npx', ['nest', 'build'], { cwd: folder });
}

function lockOf(folder) {
  return readFile(join(folder, 'package-lock.json'), 'utf8');
}
