import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const folder = mkdtempSync(join(tmpdir(), 'integration-api-node-'));
const node = join(folder, 'node');
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns an installed Node that is too old, if there is one. */
function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .map((each) => join(each, 'node'))
    .find((path) => {
      const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
      return /^v(\d+)/.exec(stdout ?? '') !== null && Number(/^v(\d+)/.exec(stdout)?.[1]) < 24;
    });
}

const installed = oldNode();
if (installed !== undefined) {
  symlinkSync(installed, node);
} else {
  // Only the version is old.
  const pretend = 'Object.defineProperty(process.versions, "node", { value: "20.1.0" })';
  const preload = `--import 'data:text/javascript,${encodeURIComponent(pretend)}'`;
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' ${preload} "$@"\n`, { mode: 0o755 });
}

describe('on a Node that is too old,', () => {
  it.each([
    ...['start', 'start:prod', 'start:dev', 'cli', 'demo'].map((name) => [
      name,
      scripts[name] ?? '',
    ]),
    ['the service', 'node dist/main.js'],
    ['the command line', 'node dist/cli.js org list'],
  ])('%s prints one line that names the version', (_, command) => {
    const env = { PATH: [folder, '/usr/bin', '/bin'].join(delimiter), HOME: folder };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { env, encoding: 'utf8' });
    expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([
      1,
      '',
      [expect.stringMatching(/^Node 24 or newer is required, this is \d+\.\d+\.\d+: .*npm ci/)],
    ]);
  });
});
