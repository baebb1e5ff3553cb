import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const headings: string[] = readFileSync('docs/rules.md', 'utf8').match(/(?<=^### ).+$/gm) ?? [];
const areas = [...new Set(headings.map((heading) => heading.split('-')[0]))];
const rulePattern = new RegExp(`\\b(?:${areas.join('|')})-\\d+\\b`, 'g');

const citedRules = (text: string): string[] => text.match(rulePattern) ?? [];

const files = ['src', 'test', 'docs']
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(ts|mjs|md)$/.test(entry.name))
  .map(({ parentPath, name }) => `${parentPath}/${name}`);

describe('cited rules', () => {
  it('are unique headings of docs/rules.md', () => {
    const unknown = files.flatMap((file) =>
      citedRules(readFileSync(file, 'utf8'))
        .filter((rule) => !headings.includes(rule))
        .map((rule) => `${file}: ${rule}`),
    );
    expect(unknown).toEqual([]);
    expect(new Set(headings).size).toBe(headings.length);
    expect(headings.length).toBeGreaterThan(70);
  });

  it('have ids, and no file cites documents outside the repository', () => {
    const outside = files.filter((file) =>
      /\bsections? \d|data\smodel/.test(readFileSync(file, 'utf8')),
    );
    expect(outside).toEqual([]);
  });
});
