// Provides the compared versions of the service: this working copy, and a commit that is built in its own folder.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { progress } from '../report.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** A build is the folder whose `dist` runs, and a name for the tables. */
export const thisBuild = { name: 'this', root };

/** Returns the build of a commit, a tag or a branch, which is built once. */
export async function buildOf(name) {
  const { stdout } = await run('git', ['rev-parse', '--short=12', name], { cwd: root });
  const commit = stdout.trim();
  const folder = join(root, 'node_modules/.cache/bench-builds', commit);
  if (existsSync(folder)) return { name, root: folder };
  progress(`Building ${commit}`);
  const cwd = `${folder}.building`;
  await rm(cwd, { recursive: true, force: true });
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, cwd]);
  await run('git', ['checkout', '--quiet', commit], { cwd });
  const [ours, theirs] = [root, cwd].map((each) => readFileSync(join(each, 'package-lock.json')));
  if (ours.equals(theirs)) await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
  else await run('npm', ['ci', '--ignore-scripts'], { cwd });
  await run('npx', ['nest', 'build'], { cwd });
  await rename(cwd, folder);
  return { name, root: folder };
}
