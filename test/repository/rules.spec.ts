import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const document = readFileSync('docs/rules.md', 'utf8');
const headings: string[] =
  document.match(/(?<=^### <a id="[a-z]+-\d+"><\/a>)[A-Z]+-\d+(?=: )/gm) ?? [];
const areas = [...new Set(headings.map((heading) => heading.split('-')[0]))];
const rulePattern = new RegExp(`\\b(?:${areas.join('|')})-\\d+\\b`, 'g');

interface Reference {
  readonly paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
}

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

  it('name every query parameter of the reference', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Reference;
    const parameters = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => name);
    const unnamed = parameters.filter((name) => !new RegExp(`\\b${name}\\b`).test(document));
    expect([...new Set(unnamed)]).toEqual([]);
    expect(parameters.length).toBeGreaterThan(20);
  });

  it('have ids, and no file cites documents outside the repository', () => {
    const outside = files.filter((file) =>
      /\bsections? \d|data\smodel/.test(readFileSync(file, 'utf8')),
    );
    expect(outside).toEqual([]);
  });
});
