import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../../node_modules/.cache');

/**
 * Installs packages of Python in the versions of a file, once for each content of it.
 *
 * @param requirements the file
 * @returns the folder that they are in, or why they cannot be installed on this machine
 */
export async function installPythonPackages(
  requirements: string,
): Promise<{ folder: string } | { reason: string }> {
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const folder = join(cache, basename(dirname(requirements)), version.slice(0, 12));
  try {
    await access(join(folder, 'complete'));
    return { folder };
  } catch {
    // It is not there yet.
  }
  try {
    await run('python3', ['-m', 'venv', '--clear', folder]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
    await run(join(folder, 'bin/python'), pip);
    await run('touch', [join(folder, 'complete')]);
    return { folder };
  } catch (error) {
    return { reason: `Python or its packages are not there: ${(error as Error).message}` };
  }
}
