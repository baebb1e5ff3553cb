import { access, constants, readFile, stat } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';
import { utf8Text } from '../../../core/values/file-text.js';

export function fileErrorReason(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? String(error) : getSystemErrorMessage(errno);
}

/** @throws Error of one line when the file is unreadable or not UTF-8 */
export async function readTextFile(path: string): Promise<string> {
  await checkFile(path);
  return utf8Text(await readFile(path));
}

/** @throws Error of one line when the file is unreadable */
export async function checkFile(path: string): Promise<void> {
  const reason = await access(path, constants.R_OK)
    .then(() => stat(path))
    .then((found) => (found.isDirectory() ? 'it is a folder' : null), fileErrorReason);
  if (reason !== null) throw new Error(`The file ${path} cannot be read: ${reason}.`);
}
