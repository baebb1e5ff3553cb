import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Step {
  readonly run?: string;
  readonly uses?: string;
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly steps?: readonly Step[]; readonly 'timeout-minutes'?: number }>
  >;
}

const read = (path: string) => readFileSync(path, 'utf8');
const { scripts, devDependencies } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: { readonly node: string };
};
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const paths = globSync('.github/workflows/*.yml');
const workflows = paths.map((path) => ({ path, ...(parse(read(path)) as Workflow) }));

describe('a workflow of GitHub', () => {
  it.each(workflows)(
    'runs existing scripts with few permissions: $path',
    ({ permissions, jobs }) => {
      expect(permissions).toEqual({ contents: 'read' });
      for (const { steps, 'timeout-minutes': timeout } of Object.values(jobs)) {
        // A job that calls a workflow has the limits of that.
        if (steps === undefined) continue;
        expect(timeout).toBeGreaterThan(0);
        const commands = steps.map(({ run = '' }) => run).join('\n');
        const named = [...commands.matchAll(/npm run (?:--\S+ )*([\w:]+)/g)].map(
          ([, name]) => name ?? '',
        );
        expect(named.filter((name) => !(name in scripts))).toEqual([]);
        const files = [...commands.matchAll(/(?:^|\s)((?:\.ci|scripts)\/\S+)/gm)].map(
          ([, file]) => file ?? '',
        );
        expect(files.filter((file) => !tracked.includes(file))).toEqual([]);
      }
    },
  );

  it('runs .ci/run on every supported version of MongoDB', () => {
    const check = parse(read('.github/workflows/check.yml')) as {
      readonly jobs: {
        readonly tests: {
          readonly strategy: { readonly matrix: { readonly mongodb: readonly string[] } };
          readonly steps: readonly Step[];
        };
      };
    };
    const [, supported = ''] =
      /MongoDB ([\d., or]+) runs as/.exec(read('docs/deployment.md')) ?? [];
    expect(check.jobs.tests.strategy.matrix.mongodb).toEqual(supported.match(/\d\.\d/g));
    expect(check.jobs.tests.steps).toContainEqual({ run: '.ci/run' });
  });

  it('runs every part of `npm run test:nightly`', () => {
    const nightly = read('.github/workflows/nightly.yml');
    const [, ...parts] = (scripts['test:nightly'] ?? '').split(' && ');
    expect(scripts['test:nightly']).toMatch(/^TEST_ROUNDS=full npm run test:ci && /);
    expect(nightly).toContain('TEST_ROUNDS: full');
    expect(parts.filter((part) => !nightly.includes(`run: ${part}`))).toEqual([]);
    const [, kinds = ''] = /kind in ([\w ]+);/.exec(scripts['test:ci'] ?? '') ?? [];
    expect(nightly).toContain(`kind: [${kinds.split(' ').join(', ')}]`);
  });
});

describe('CODEOWNERS', () => {
  const patterns = [...read('.github/CODEOWNERS').matchAll(/^(\/\S+) @/gm)].map(
    ([, pattern = '']) => pattern.slice(1),
  );

  it('names existing files', () => {
    const unknown = patterns.filter(
      (pattern) =>
        !tracked.some((file) =>
          pattern.endsWith('/') ? file.startsWith(pattern) : matchesGlob(file, pattern),
        ),
    );
    expect(unknown).toEqual([]);
  });

  it('names every folder of src', () => {
    const folders = readdirSync('src', { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(
      folders.map(({ name }) => `src/${name}/`).filter((folder) => !patterns.includes(folder)),
    ).toEqual([]);
  });
});

describe('the devcontainer', () => {
  const dockerfile = read('.devcontainer/Dockerfile');
  const { build } = JSON.parse(read('.devcontainer/devcontainer.json')) as {
    readonly build: { readonly context: string };
  };

  it('has the Node of package.json', () => {
    expect(dockerfile).toMatch(new RegExp(`^FROM node:${devDependencies.node}-`));
  });

  it('copies files of its context', () => {
    const copied = [...dockerfile.matchAll(/^COPY (\S+) /gm)].map(([, path = '']) =>
      join('.devcontainer', build.context, path),
    );
    expect(copied.filter((path) => !tracked.includes(path))).toEqual([]);
    // The root's `.dockerignore` excludes everything else.
    expect(join('.devcontainer', build.context)).not.toBe('.');
    expect(copied).not.toEqual([]);
  });
});
