import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../results');
const files = {
  latest: join(folder, 'latest.json'),
  accepted: join(folder, 'accepted.json'),
  growth: join(folder, 'growth.json'),
};

/** When and on what something is measured. */
export function machine() {
  const at = new Date().toISOString();
  return { at, machine: `${cpus().length} × ${cpus()[0]?.model}`, node: process.version };
}

/**
 * Stored results; null when there are none.
 *
 * @param name `latest` of the last run here, or `accepted`, which is kept in the repository
 */
export async function readResults(name) {
  try {
    return JSON.parse(await readFile(files[name], 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

export async function writeResults(name, results) {
  await mkdir(folder, { recursive: true });
  await writeFile(files[name], `${JSON.stringify(rounded(results), null, 2)}\n`);
}

/** Four significant digits are more than a run can tell. */
function rounded(value) {
  if (typeof value === 'number') return Number(value.toPrecision(4));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rounded(item)]));
}
