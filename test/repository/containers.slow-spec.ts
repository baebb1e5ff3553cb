import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

interface Package {
  readonly scripts: Readonly<Record<'start' | 'start:prod' | 'prestart:prod', string>>;
}

const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll(/\\\n\s*/g, '');
const argumentsOf = (instruction: string, stages = dockerfile): string[] =>
  [...stages.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(
    ([, argument = '']) => argument,
  );
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
const nodePackage = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly devDependencies: { readonly node: string };
};

describe('Dockerfile', () => {
  it('uses the tested version of Node', () => {
    const images = argumentsOf('FROM');
    for (const name of images) {
      expect(name).toMatch(
        new RegExp(
          String.raw`^node:${nodePackage.devDependencies.node}-\w+-slim(@sha256:[0-9a-f]{64})?( AS \w+)?$`,
        ),
      );
    }
    expect(images.length).toBeGreaterThan(1);
  });

  it('starts the service with the flags and variables of `npm start` and `npm run start:prod`', () => {
    const start = scripts['start:prod'];
    expect(scripts.start.endsWith(` && ${start}`)).toBe(true);
    const flags = start.match(/--\S+/g) ?? [];
    // Without this limit, the young heap grows with the memory of the machine.
    expect(flags).toContainEqual(expect.stringMatching(/^--max-semi-space-size=\d+$/));
    const commands = argumentsOf('CMD', image).map((command) => JSON.parse(command) as unknown);
    expect(commands).toEqual([['node', ...flags, 'dist/main.js']]);
    // With one malloc arena per thread, freed memory would stay with the process.
    expect(start).toMatch(/^MALLOC_ARENA_MAX=1 exec node /);
    expect(argumentsOf('ENV', image)).toContain('MALLOC_ARENA_MAX=1');
  });

  it('installs no development dependency, and runs as a user who is not root', () => {
    expect(argumentsOf('RUN')).toEqual(
      expect.arrayContaining(['npm ci --omit=dev --omit=optional --ignore-scripts']),
    );
    // Kubernetes can verify a number, but not a name.
    expect(argumentsOf('USER', image)).toEqual(['1000:1000']);
  });

  it('is labelled with version, revision and base image', () => {
    const labels = Object.fromEntries(
      [
        ...(argumentsOf('LABEL', image)[0] ?? '').matchAll(
          /org\.opencontainers\.image\.([\w.]+)="(.*?)"/g,
        ),
      ].map(([, name, value]) => [name, value]),
    );
    expect(labels).toEqual({
      title: 'Integration API',
      description: expect.stringMatching(/\S/),
      licenses: 'UNLICENSED',
      version: expect.stringMatching(/^\$\{VERSION\}$/),
      revision: expect.stringMatching(/^\$\{REVISION\}$/),
      'base.name': argumentsOf('FROM')[0]?.split(/[ @]/)[0],
    });
    expect(argumentsOf('ARG', image)).toEqual(['VERSION=development', 'REVISION=unknown']);
  });

  it('builds with every file that the build copies', () => {
    const [stage = ''] = dockerfile.split(' AS dependencies');
    const copied = argumentsOf('COPY', stage).flatMap((paths) => paths.split(' ').slice(0, -1));
    const allowed = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+/gm) ?? [];
    const { compilerOptions } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as {
      readonly compilerOptions: { readonly assets: readonly { readonly include: string }[] };
    };
    const files = compilerOptions.assets
      .flatMap(({ include }) => globSync(join('src', include)))
      .filter((file) => !file.startsWith('node_modules/') && statSync(file).isFile());
    const isIn = (file: string) => (path: string) => file === path || file.startsWith(`${path}/`);
    const missing = files.filter((file) => !copied.some(isIn(file)) || !allowed.some(isIn(file)));
    expect(missing).toEqual([]);
    expect(files).toContain('docs/guides/website.md');
  });

  it('contains everything that `npm run cli` needs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'integration-api-image-'));
    try {
      for (const paths of argumentsOf('COPY', image)) {
        const [from = '', to = ''] = paths.replace(/^--from=\S+ \/app\//, '').split(' ');
        const target = join(
          folder,
          to.endsWith('/') ? join(to, basename(from)) : join(to, to === './' ? from : ''),
        );
        if (from === 'node_modules') symlinkSync(resolve(from), target);
        else cpSync(from, target, { recursive: true });
      }
      // Layers of an image may have been made at different times.
      utimesSync(join(folder, 'package.json'), new Date(), new Date());
      const run = promisify(execFile)('npm', ['run', 'cli', '--', 'org', '--help'], {
        cwd: folder,
      });
      expect((await run).stdout).toContain('Usage: npm run cli -- org');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('copies neither secrets nor local data', () => {
    const [first, ...rest] = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = argumentsOf('COPY')
      .filter((paths) => !paths.startsWith('--from'))
      .flatMap((paths) => paths.split(' ').slice(0, -1));
    expect(first).toBe('*');
    expect(rest.filter((line) => line.startsWith('!')).toSorted()).toEqual(
      [...new Set(copied)].map((path) => `!${path.replace(/^\.\//, '')}`).toSorted(),
    );
  });
});

it('`npm run start:prod` says what to run when the build is missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'integration-api-build-'));
  const { status, stderr } = spawnSync('sh', ['-c', scripts['prestart:prod']], { cwd: folder });
  rmSync(folder, { recursive: true });
  expect([status, String(stderr)]).toEqual([1, 'The build is missing: run npm run build first.\n']);
});
