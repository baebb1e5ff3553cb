import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Copies the current sources into a new folder, without packages. */
export async function cloneSources(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'integration-api-clone-'));
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', args, { maxBuffer: Infinity });
  for (const file of stdout.split('\0').filter((name) => name !== '' && existsSync(name))) {
    await cp(file, join(folder, file));
  }
  return folder;
}
