import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneSources } from '../support/clone.js';

interface Api {
  paths: Record<string, unknown>;
  components: { headers: Record<string, { schema: { enum: string[] } }> };
}

const oldSection = '## 7.8.9 (2026-01-02)\n\n- An old one.\n';
let folder: string;
let start: string;
beforeAll(async () => {
  folder = await cloneSources();
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Releaser');
  git('config', 'user.email', 'releaser@example.com');
  write('CHANGELOG.md', `# Changelog\n\n## Unreleased\n\n- A change.\n\n${oldSection}`);
  mkdirSync(join(folder, 'docs/api'), { recursive: true });
  write('docs/api/7.8.9.json', read('docs/openapi.json'));
  commit();
  start = git('rev-parse', 'HEAD');
});
beforeEach(() => {
  git('reset', '--quiet', '--hard', start);
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
const versionOf = (file: string) =>
  (JSON.parse(read(file)) as { readonly version: string }).version;

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'test: prepare');
}

/** Runs `npm run release`; `withGo` says whether Go and its tools may be found. */
function release(args: readonly string[], withGo = false) {
  const PATH = withGo ? process.env['PATH'] : programs();
  const env = { ...process.env, PATH };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr: stderr.trim() };
}

/** Returns a folder that contains only the programs which a release needs. */
function programs(): string {
  const bin = join(folder, 'node_modules/.cache/programs');
  if (existsSync(bin)) return bin;
  mkdirSync(bin, { recursive: true });
  for (const name of ['git', 'npm', 'node', 'sh', 'env']) {
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
  }
  return bin;
}

/** Changes the API that the next release is compared with. */
function changeReleasedApi(change: (api: Api) => void): void {
  const api = JSON.parse(read('docs/openapi.json')) as Api;
  change(api);
  write('docs/api/7.8.9.json', JSON.stringify(api));
  commit();
}

describe('npm run release', () => {
  it('sets the version everywhere, closes the section, keeps the API and commits', () => {
    const { status, stdout, stderr } = release(['7.9.0']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      'not compared with a released one: neither oasdiff nor Go is installed',
    );
    expect(stdout).toContain('git push origin HEAD v7.9.0');
    expect(
      ['package.json', 'package-lock.json', 'clients/typescript/package.json'].map(versionOf),
    ).toEqual(Array.from({ length: 3 }, () => '7.9.0'));
    const images = git(
      'grep',
      '--no-index',
      '-hoE',
      '(integration-api:|VERSION=|VERSION:-|newTag: )[0-9.]+[0-9]',
      '--',
      'ops',
      'docs',
    );
    expect([...new Set(images.split('\n').map((image) => image.match(/[\d.]+$/)?.[0]))]).toEqual([
      '7.9.0',
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect(read('CHANGELOG.md')).toContain(
      `## Unreleased\n\n## 7.9.0 (${today})\n\n- A change.\n\n## 7.8.9`,
    );
    expect(read('docs/api/7.9.0.json')).toBe(read('docs/openapi.json'));
    expect(git('log', '-1', '--format=%s')).toBe('chore(release): release 7.9.0');
    expect(git('status', '--porcelain')).toBe('');
    expect(release(['--notes', '7.9.0']).stdout).toBe('- A change.\n');
  });

  it.each([
    [
      'a version that is no version',
      ['7.9'],
      () => undefined,
      'Name the version: npm run release -- 1.2.3',
    ],
    [
      'a released version',
      ['7.8.9'],
      () => undefined,
      'Version 7.8.9 is released. Name a higher one.',
    ],
    ['a lower version', ['7.8.10-1'], () => undefined, 'Name the version'],
    [
      'uncommitted changes',
      ['7.9.0'],
      () => write('README.md', 'changed'),
      'There are uncommitted changes.',
    ],
    [
      'a changelog without changes',
      ['7.9.0'],
      () => {
        write('CHANGELOG.md', `# Changelog\n\n## Unreleased\n\n${oldSection}`);
        commit();
      },
      'CHANGELOG.md has nothing under Unreleased.',
    ],
  ])('refuses %s and changes nothing', (_title, args, prepare, message) => {
    prepare();
    const before = [git('rev-parse', 'HEAD'), git('status', '--porcelain')];
    const { status, stderr } = release(args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual(before);
  });
});

const hasGo = ['oasdiff', 'go'].some((name) => spawnSync(name, ['version']).error === undefined);
// Without Go, nobody can run oasdiff, and a release says so.
(hasGo ? describe : describe.skip)('npm run release, compared with the last API', () => {
  const refusals = [
    [
      'an operation was removed',
      (api: Api) => {
        api.paths['/external/apis/v1.0/removed'] = api.paths['/external/apis/v1.0/healthz'];
      },
      'in API GET /external/apis/v1.0/removed',
    ],
    [
      'an error code was removed',
      (api: Api) => {
        api.components.headers['x-error-code']?.schema.enum.push('lead.removed');
      },
      'The error code lead.removed was removed.',
    ],
  ] as const;

  it.each(refusals)('refuses a version of the same major when %s', (_title, change, message) => {
    changeReleasedApi(change);
    const { status, stderr } = release(['7.9.0'], true);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).toContain('The API would break clients within a major version.');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('permits the next major version to break clients', () => {
    changeReleasedApi(refusals[0][1]);
    expect(release(['8.0.0'], true)).toMatchObject({ status: 0, stderr: '' });
  });

  it('permits additions', () => {
    changeReleasedApi((api) => {
      delete api.paths['/external/apis/v1.0/healthz'];
      api.components.headers['x-error-code']?.schema.enum.pop();
    });
    expect(release(['7.9.0'], true)).toMatchObject({ status: 0, stderr: '' });
  });
});
