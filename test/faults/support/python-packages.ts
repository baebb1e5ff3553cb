import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { report } from './random.js';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../../node_modules/.cache');

/**
 * Installs the Python packages of a requirements file, once for each content of the file.
 *
 * @returns the folder of their programs, or undefined if this machine cannot install them, which is reported
 */
export async function installPythonPackages(requirements: string): Promise<string | undefined> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(cache, basename(dirname(requirements)), version.slice(0, 12));
  const programs = join(folder, 'bin');
  const mark = join(folder, 'complete');
  if (existsSync(mark)) return programs;
  try {
    await run('python3', ['-m', 'venv', '--clear', folder]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
    await run(join(programs, 'python'), pip);
    writeFileSync(mark, '');
    return programs;
  } catch (error) {
    report(`Skipped: ${requirements} cannot be installed: ${(error as Error).message}`);
    return undefined;
  }
}
