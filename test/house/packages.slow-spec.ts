import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isFull } from '../support/rounds.js';

interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

interface BillOfMaterials {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly purl: string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const { scripts, allowScripts } = read('package.json') as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const { packages } = read('package-lock.json') as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const locked = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({
    ...entry,
    name: entry.name ?? path.replace(/^.*node_modules\//, ''),
  }));

const folder = mkdtempSync(join(tmpdir(), 'packages-'));
for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
  cpSync(file, join(folder, file));
}
afterAll(() => rmSync(folder, { recursive: true }));

const run = (file: string, args: readonly string[], variables: Record<string, string> = {}) =>
  new Promise<{ code: number; stdout: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...variables }, maxBuffer: 2 ** 26 };
    execFile(file, args, options, (error, stdout) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout });
    });
  });

describe('install scripts', () => {
  it('are decided on by name for each package that has one, and for no other', () => {
    const withScripts = locked.filter(({ hasInstallScript }) => hasInstallScript === true);
    const names = [...new Set(withScripts.map(({ name }) => name))];
    expect(Object.keys(allowScripts).toSorted()).toEqual(names.toSorted());
    // A package that is not decided on fails the install.
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});

describe('package-lock.json', () => {
  it('has the hash of every package, those of other platforms included', () => {
    const unhashed = locked.filter(({ integrity = '' }) => !integrity.startsWith('sha512-'));
    expect(unhashed.map(({ name, version }) => `${name}@${version}`)).toEqual([]);
  });
});

describe('npm run sbom', () => {
  it('names every package of the lockfile with the hash of its archive', async () => {
    expect(await run('sh', ['-c', scripts['sbom'] ?? ''])).toMatchObject({ code: 0 });
    const bill = read(join(folder, 'sbom.cdx.json')) as BillOfMaterials;
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    const hashes = new Map(
      bill.components.map(({ purl, hashes: [hash] = [] }) => [purl, hash?.content]),
    );
    const purlOf = ({ name, version }: LockedPackage) =>
      `pkg:npm/${name?.replace('@', '%40')}@${version}`;
    const expected = locked.map(({ integrity = '', ...entry }): [string, string] => [
      purlOf(entry),
      Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
    ]);
    expect(expected.length).toBeGreaterThan(1_000);
    expect(Object.fromEntries(hashes)).toEqual(Object.fromEntries(expected));
    const refs = new Set([bill.metadata.component, ...bill.components].map((c) => c['bom-ref']));
    expect(refs.size).toBe(bill.components.length + 1);
    const unresolved = bill.dependencies
      .flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
      .filter((ref) => !refs.has(ref));
    expect(unresolved).toEqual([]);
  });
});

describe('npm run audit', () => {
  it.each([
    ['fails for an advisory of high severity', 'high', 1, 'high: pino\n'] as const,
    // Each starts npm.
    ...(isFull
      ? ([
          ['says so where the service does not answer', null, 0, 'Not audited: '],
          ['tells one of moderate severity', 'moderate', 0, 'moderate: pino\n'],
        ] as const)
      : []),
  ])('%s', async (_, severity, code, told) => {
    const advisory = { id: 1, url: 'https://x.example/1', title: 'x', vulnerable_versions: '*' };
    const registry = createServer((request, response) => {
      request.resume().on('end', () => {
        const isAnswered = severity !== null && request.url?.endsWith('/advisories/bulk');
        response.writeHead(isAnswered ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isAnswered ? { pino: [{ ...advisory, severity }] } : {}));
      });
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    const { port } = registry.address() as AddressInfo;
    const outcome = await run(process.execPath, [join(process.cwd(), 'scripts/audit.mjs')], {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(folder, `cache-${severity}`),
    });
    registry.close().closeAllConnections();
    expect(outcome.stdout).toContain(told);
    expect(outcome.code).toBe(code);
  });
});
