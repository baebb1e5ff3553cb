import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { report } from '../faults/support/random.js';

const run = promisify(execFile);
const version = '2.12.0';
const folder = join(import.meta.dirname, `../../node_modules/.cache/mongosh-${version}`);
const program = join(folder, 'node_modules/.bin/mongosh');

/**
 * Finds mongosh on PATH, or installs its npm package into the cache. As a development dependency, it would add 460
 * packages to every installation.
 *
 * @returns the command, or undefined if this machine cannot install it, which is reported
 */
export async function findMongosh(): Promise<readonly string[] | undefined> {
  try {
    await run('mongosh', ['--version']);
    return ['mongosh'];
  } catch {
    // It is not installed.
  }
  try {
    if (!existsSync(program)) await install();
    return [process.execPath, program];
  } catch (error) {
    report(`Skipped: mongosh cannot be installed: ${(error as Error).message}`);
    return undefined;
  }
}

async function install(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  await run('npm', ['install', ...options, `mongosh@${version}`]);
}
