import { access, constants, readFile, stat } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';

export function reasonOf(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? String(error) : getSystemErrorMessage(errno);
}

export async function readTextFile(path: string): Promise<string> {
  await checkFile(path);
  return readFile(path, 'utf8');
}

/** @throws Error of one line when the file cannot be read */
export async function checkFile(path: string): Promise<void> {
  if (await isFolder(path)) throw new Error(`${path} is a folder, not a file.`);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return (await stat(path)).isDirectory();
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const fault = isMissing ? 'does not exist' : `cannot be read: ${reasonOf(cause)}`;
    throw new Error(`The file ${path} ${fault}.`, { cause });
  }
}
