// Writes what is made from docs/openapi.json for clients of the API. With `--check` it writes
// nothing, and fails when a file is not what it would write.
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brunoCollectionFiles } from './bruno-collection.mjs';
import { typescriptClientFiles } from './typescript-client.mjs';

const root = join(import.meta.dirname, '..');
const document = JSON.parse(await readFile(join(root, 'docs/openapi.json'), 'utf8'));
const files = { ...(await typescriptClientFiles(document)), ...brunoCollectionFiles(document) };
const folders = ['clients/typescript/src/generated', 'clients/bruno'];

const present = (await Promise.all(folders.map(filesBelow))).flat();
const superfluous = present.filter((path) => !(path in files));
if (process.argv.includes('--check')) {
  const changed = [];
  for (const [path, text] of Object.entries(files)) {
    const current = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (current !== text) changed.push(path);
  }
  const stale = [...changed, ...superfluous];
  for (const path of stale) process.stderr.write(`${path} is not current: run npm run generate\n`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const path of superfluous) await rm(join(root, path));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    process.stdout.write(`${path}\n`);
  }
}

async function filesBelow(folder) {
  const options = { recursive: true, withFileTypes: true };
  const entries = await readdir(join(root, folder), options).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
