import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';

const run = promisify(execFile);
const service = sharedService();
const tsc = resolve('node_modules/typescript/bin/tsc');

/** Declares the names that the examples expect their readers to define. */
const declarations = `
import { eventsOf, follow, type Operations, type UnitDto } from 'integration-api-client';
declare const api: Operations;
declare const copy: Map<string, UnitDto>;
declare const since: string | undefined;
declare const signal: AbortSignal;
declare function save(copy: ReadonlyMap<string, UnitDto>, mark: string): void;
declare function loadPosition(): Promise<number | undefined>;
declare function savePosition(sequence: number): Promise<void>;
`;

/** Compiles only if the package has all types, because a lost type would accept wrong filters and fields. */
const mustNotCompile = `
import { itemsOf, type Operations } from 'integration-api-client';
declare const api: Operations;
// @ts-expect-error -- A status is a string.
itemsOf(api.listUnits, { status: 5 });
// @ts-expect-error -- There is no such filter.
itemsOf(api.listUnits, { colour: 'red' });
for await (const unit of itemsOf(api.listUnits, { status: 'Available' })) {
  // @ts-expect-error -- There is no such field.
  console.log(unit.colour);
}
`;

function examplesOf(file: string): string[] {
  const blocks = readFileSync(file, 'utf8').matchAll(/^( *)```ts\n(.+?)^\1```/gms);
  return [...blocks].map(([, , code = '']) =>
    /^import /m.test(code) ? code : `${declarations}${code}`,
  );
}

let folder: string;
let files: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'consumer-'));
  const installed = join(folder, 'node_modules');
  const client = join(installed, 'integration-api-client');
  mkdirSync(client, { recursive: true });
  const pack = ['pack', '--silent', '--pack-destination', folder];
  await run('npm', pack, { cwd: 'clients/typescript' });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['xzf', join(folder, archive), '-C', client, '--strip-components=1']);
  for (const name of ['@types/node', 'undici-types']) {
    mkdirSync(dirname(join(installed, name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(installed, name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const examples = examplesOf('clients/typescript/README.md');
  expect(examples).toHaveLength(3);
  files = [mustNotCompile, ...examples].map((code, index) => {
    const file = join(folder, `example-${index}.ts`);
    writeFileSync(file, code);
    return file;
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

async function compilerErrors(args: readonly string[], options: Record<string, string>) {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const command = [tsc, '--ignoreConfig', '--noEmit', '--target', 'es2022', ...flags, ...args];
  const { stdout } = await run(process.execPath, command, { cwd: folder }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout;
}

const resolutions = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'preserve', moduleResolution: 'bundler' },
];
const settings = resolutions.flatMap((resolution) =>
  // Without `lib`, the compiler also loads the types of browsers.
  [{}, { lib: 'es2022' }].flatMap((libraries) =>
    ['false', 'true'].map((exactOptionalPropertyTypes) => ({
      ...resolution,
      ...libraries,
      exactOptionalPropertyTypes,
    })),
  ),
);

describe('the examples of the client', () => {
  // The short run covers each module kind, with and without browser types.
  it.each(settings.filter((_, index) => index % rounds(5, 1) === 0))(
    'compile with strict and %j',
    async (options) => {
      expect(await compilerErrors(files, { strict: 'true', types: 'node', ...options })).toBe('');
    },
  );
});

describe('the first example of the client', () => {
  const runExample = async (variables: Record<string, string>) => {
    // Node removes the types of the example.
    const options = { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...variables } };
    const program = run(process.execPath, [files[1] ?? ''], options);
    return program.then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    );
  };

  it('prints the stored lead', async () => {
    const { key } = await addTenant(service.db);
    const { code, stdout } = await runExample({ API_URL: service.url, API_KEY: key });
    expect([code, stdout]).toEqual([0, 'create 1\n']);
  });

  it.each([
    ['a wrong key', () => service.url, /key\.invalid/],
    [
      'no service at the address',
      () => 'http://127.0.0.1:2',
      /No response after \d+ attempts?: \S/,
    ],
    ['no address', () => '', /baseUrl must be a URL such as/],
  ])('prints the reason with %s', async (_, url, reason) => {
    const { code, stderr } = await runExample({ API_URL: url(), API_KEY: 'iapi_wrong' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });
});

describe('the programs of the guides', () => {
  it('use only syntax that Node 20 supports', async () => {
    const programs = resolve('docs/guides/programs');
    const javascript = readdirSync(programs).filter((name) => name.endsWith('.mjs'));
    const args = ['--allowJs', '--checkJs', ...javascript.map((name) => join(programs, name))];
    const options = { module: 'nodenext', strict: 'false', types: 'node', lib: 'es2023' };
    const lines = (await compilerErrors(args, options)).split('\n');
    // TS2550 is the error for functions of a newer library. Other errors only say that the programs have no
    // types.
    expect(lines.filter((line) => line.includes('TS2550'))).toEqual([]);
    const newer = join(folder, 'newer.mjs');
    writeFileSync(newer, 'Object.groupBy([], () => 1);\n');
    expect(await compilerErrors(['--allowJs', '--checkJs', newer], options)).toContain('TS2550');
  });
});
