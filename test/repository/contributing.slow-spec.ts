import { execFile } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSources } from '../support/clone.js';

const run = promisify(execFile);
const guide = readFileSync('CONTRIBUTING.md', 'utf8').replaceAll(/^ {2}/gm, '');
const structureTest = 'test/database/structure.slow-spec.ts';
let folder: string;

beforeAll(async () => {
  folder = await cloneSources();
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function change(file: string, edit: (text: string) => string): void {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  const after = edit(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

/** Follows the text as a reader does. The example has version 1, so that it suits a repository without migrations. */
function applyExample(): string {
  const [, file = '', imports = '', declaration = ''] =
    /^```ts\n\/\/ (\S+\.module\.ts)\n(import .*\n)\n(export class [^]*?^\}\n)```/m.exec(guide) ??
    [];
  const [, body = ''] = /^ {2}constructor\(.*\) \{\n([^]*?)^ {2}\}$/m.exec(declaration) ?? [];
  const [name = ''] = /^export class \w+ \{/.exec(declaration) ?? [];
  const [, newest] = /recorded = \[(\d+)/.exec(readFileSync(structureTest, 'utf8')) ?? [];
  const version = Number(newest) + 1;
  const numbered = (text: string) => text.replace(/version: \d+/, `version: ${version}`);
  change(file, (text) => {
    const imported = text.includes(imports) ? text : `${imports}${text}`;
    const constructor = 'constructor(migrations: Migrations) {\n';
    return imported.includes(constructor)
      ? imported.replace(constructor, `${constructor}${numbered(body)}`)
      : imported.replace(`${name}}\n`, numbered(declaration));
  });
  change(structureTest, (text) => text.replace(/recorded = \[\d+/, `recorded = [${version}`));
  return file;
}

describe('the migration of CONTRIBUTING.md, applied to a copy of the repository,', () => {
  it('passes the checks of its file and the tests that prepare a database', async () => {
    const file = applyExample();
    const { PATH, HOME, TMPDIR } = process.env;
    const options = { cwd: folder, env: { PATH, HOME, TMPDIR, TEST_KIND: 'slow' } };
    await run('npx', ['prettier', '--check', file, structureTest], options);
    await run('npx', ['oxlint', '--type-aware', '--deny-warnings', file], options);
    const tests = [structureTest, 'test/operator/database'];
    const { stderr } = await run('npm', ['test', '--', ...tests], options);
    expect(stderr).toMatch(/^Test Suites: 2 passed, 2 total$/m);
  });
});
