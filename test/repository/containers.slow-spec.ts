import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { environmentExample } from '../../src/reference/configuration-reference.js';

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
}

interface Package {
  readonly scripts: Readonly<Record<'start' | 'start:prod', string>>;
}

interface Compose {
  readonly services: Readonly<Record<'database' | 'api', ComposeService>>;
}

/** The instructions of the Dockerfile with their arguments, one list for each stage. */
function stages(): [instruction: string, argument: string][][] {
  const lines = readFileSync('Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const instructions = lines.map((line): [string, string] => {
    const [instruction = ''] = line.split(' ', 1);
    return [instruction, line.slice(instruction.length + 1)];
  });
  const starts = instructions.flatMap(([name], index) => (name === 'FROM' ? [index] : []));
  return starts.map((start, index) => instructions.slice(start, starts[index + 1]));
}

const image = stages().at(-1) ?? [];
const argumentsOf = (instruction: string, stage = image) =>
  stage.filter(([name]) => name === instruction).map(([, argument]) => argument);
const nodePackage = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly devDependencies: { readonly node: string };
};
const compose = parse(readFileSync('docker-compose.yml', 'utf8')) as Compose;
const { database, api } = compose.services;

describe('Dockerfile', () => {
  it('uses the tested version of Node', () => {
    const images = stages().flatMap((stage) => argumentsOf('FROM', stage));
    for (const name of images) {
      expect(name).toMatch(
        new RegExp(String.raw`^node:${nodePackage.devDependencies.node}-\w+-slim( AS \w+)?$`),
      );
    }
    expect(images.length).toBeGreaterThan(1);
  });

  it('starts the service with the flags and variables of `npm start` and `npm run start:prod`', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
    const start = scripts['start:prod'];
    expect(scripts.start.endsWith(` && ${start}`)).toBe(true);
    const flags = start.match(/--\S+/g) ?? [];
    // Without a bound of its own, the young heap gets as large as the machine allows.
    expect(flags).toContainEqual(expect.stringMatching(/^--max-semi-space-size=\d+$/));
    const commands = argumentsOf('CMD').map((command) => JSON.parse(command) as unknown);
    expect(commands).toEqual([['node', ...flags, 'dist/main.js']]);
    // With an arena of malloc for each thread, memory that was freed stays with the process.
    expect(start).toMatch(/^MALLOC_ARENA_MAX=1 exec node /);
    expect(argumentsOf('ENV')).toContain('MALLOC_ARENA_MAX=1');
  });

  it('contains everything that `npm run cli` needs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'integration-api-image-'));
    try {
      for (const paths of argumentsOf('COPY')) {
        const [from = '', to = ''] = paths.replace(/^--from=\S+ \/app\//, '').split(' ');
        const target = join(
          folder,
          to.endsWith('/') ? join(to, basename(from)) : join(to, to === './' ? from : ''),
        );
        if (from === 'node_modules') symlinkSync(resolve(from), target);
        else cpSync(from, target, { recursive: true });
      }
      // As in an image whose layers were made at different times.
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
    const copied = stages().flatMap((stage) =>
      argumentsOf('COPY', stage)
        .filter((paths) => !paths.startsWith('--from'))
        .flatMap((paths) => paths.split(' ').slice(0, -1)),
    );
    expect(first).toBe('*');
    expect(rest.filter((line) => line.startsWith('!')).toSorted()).toEqual(
      [...new Set(copied)].map((path) => `!${path.replace(/^\.\//, '')}`).toSorted(),
    );
  });
});

describe('docker-compose.yml', () => {
  it.each(Object.entries({ api, database }))(
    'passes only known and valid variables to %s',
    (_name, { environment = {} }) => {
      const known = [...environmentExample().matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(
        ([, name]) => name,
      );
      expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
      const given = { ...environment, ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64') };
      const accepted = readEnvironment({ NODE_ENV: 'production', ...given });
      expect(environment['ENCRYPTION_KEYS']).toMatch(/^\$\{ENCRYPTION_KEYS:\?.+\}$/);
      expect(accepted.MONGODB_URI).toBe('mongodb://mongodb:27017/integration?replicaSet=rs0');
    },
  );
});
