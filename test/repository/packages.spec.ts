import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const { allowScripts } = read('package.json') as {
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

describe('install scripts', () => {
  it('are allowed or denied by name for every package that has one', () => {
    const withScripts = locked.filter(({ hasInstallScript }) => hasInstallScript === true);
    const names = [...new Set(withScripts.map(({ name }) => name))];
    expect(Object.keys(allowScripts).toSorted()).toEqual(names.toSorted());
    // A package that is not decided on fails the install.
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});

describe('package-lock.json', () => {
  it('contains the hash of every package, including other platforms', () => {
    const unhashed = locked.filter(({ integrity = '' }) => !integrity.startsWith('sha512-'));
    expect(unhashed.map(({ name, version }) => `${name}@${version}`)).toEqual([]);
  });
});
