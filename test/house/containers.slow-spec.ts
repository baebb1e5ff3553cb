import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readEnvironment } from '../../src/core/configuration/environment.js';
import { environmentExample } from '../../src/reference/configuration-reference.js';
import { basePath } from '../../src/core/http/base-path.js';

interface ComposeService {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
}

interface Package {
  readonly scripts: Readonly<Record<'start' | 'start:prod', string>>;
}

interface Compose {
  readonly services: Readonly<Record<'mongodb' | 'database' | 'api', ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
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
const { mongodb, database, api } = compose.services;

describe('Dockerfile', () => {
  it('builds and runs on the Node that the project is tested on', () => {
    const images = stages().flatMap((stage) => argumentsOf('FROM', stage));
    for (const name of images) {
      expect(name).toMatch(
        new RegExp(String.raw`^node:${nodePackage.devDependencies.node}-\w+-slim( AS \w+)?$`),
      );
    }
    expect(images.length).toBeGreaterThan(1);
  });

  it('installs exactly what the lock file says, without development dependencies', () => {
    const installs = stages().flatMap((stage) =>
      argumentsOf('RUN', stage).filter((command) => command.startsWith('npm ci')),
    );
    expect(installs).toEqual(['npm ci --ignore-scripts', 'npm ci --omit=dev --ignore-scripts']);
    expect(argumentsOf('RUN').filter((command) => /\bnp[mx]\b/.test(command))).toEqual([]);
  });

  it('makes an image that runs in production as a user without rights', () => {
    expect(argumentsOf('ENV')).toContain('NODE_ENV=production');
    expect(argumentsOf('USER')).toEqual(['node']);
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

  it('holds what `npm run cli` needs', async () => {
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

  it('checks the health endpoint', () => {
    const [check = ''] = argumentsOf('HEALTHCHECK');
    const [program, option, script] = JSON.parse(check.slice(check.indexOf('['))) as string[];
    expect([program, option]).toEqual(['node', '--eval']);
    expect(script).toContain(`/${basePath}/healthz`);
  });

  it('gets neither secrets nor local data from the folder that it is built in', () => {
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
  it('runs MongoDB as a replica set that makes itself and keeps its data', () => {
    expect(mongodb.image).toMatch(/^mongo:8/);
    expect(mongodb.command).toEqual(expect.arrayContaining(['--replSet', 'rs0']));
    expect(mongodb.healthcheck?.test?.join(' ')).toContain('rs.initiate(');
    const [volume = ''] = mongodb.volumes ?? [];
    expect(Object.keys(compose.volumes)).toEqual([volume.replace(':/data/db', '')]);
  });

  it('starts the API after the database is ready and prepared', () => {
    expect(database.command).toEqual(['node', 'dist/cli.js', 'db', 'init']);
    expect(database.depends_on).toEqual({ mongodb: { condition: 'service_healthy' } });
    expect(api.depends_on).toEqual({
      mongodb: { condition: 'service_healthy' },
      database: { condition: 'service_completed_successfully' },
    });
    expect([database.build, api.build]).toEqual(['.', '.']);
    expect(api.command).toBeUndefined();
  });

  it.each(Object.entries({ api, database }))(
    'gives %s only variables that the service knows and accepts',
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

  it.each(Object.entries({ api, database }))(
    'gives %s all settings of .env',
    (_name, container) => {
      expect(container.env_file).toEqual([{ path: '.env', required: false }]);
      // What `.env` says for a start without containers would make the service unreachable.
      expect(container.environment).toMatchObject({ NODE_ENV: 'production' });
      expect(api.environment).toMatchObject({ HOST: '0.0.0.0', PORT: '3000' });
    },
  );

  it('publishes the port that the API listens on, and that of the console for the machine alone', () => {
    const { PORT, OPS_PORT } = api.environment ?? {};
    expect(api.ports).toEqual([`\${PORT:-3000}:${PORT}`, `127.0.0.1:${OPS_PORT}:${OPS_PORT}`]);
    expect([mongodb.ports, database.ports]).toEqual([undefined, undefined]);
  });
});
