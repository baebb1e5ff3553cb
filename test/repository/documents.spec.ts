import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import GithubSlugger from 'github-slugger';
import { variableNames } from '../../src/core/configuration/environment-variables.js';
import { createProgram } from '../../src/operator/cli/command-line/program.js';
import { documentedOperations } from '../support/operations.js';

const read = (path: string) => readFileSync(path, 'utf8');
/** Returns the matching files of the repository, without installed and built ones. */
const filesOf = (pattern: string) =>
  globSync(pattern, { exclude: ['**/node_modules/**', 'clients/**/dist/**'] });

const documents = filesOf('{*.md,{docs,clients}/**/*.md}').map((path) => ({
  path,
  text: read(path),
}));

/** Lines of code blocks and code spans of the documents, with their files. */
const code = documents.flatMap(({ path, text }) => {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, block = '']) => block);
  const spans = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)];
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  return [...lines, ...spans.map(([, span = '']) => span.replaceAll('\n', ' '))].map((line) => ({
    path,
    line,
  }));
});

const folders = ['bench', 'clients', 'docs', 'ops', 'scripts', 'src', 'test'].join('|');
/** Paths in documents may omit these suffixes. */
const ends = ['', '.ts', '.spec.ts', '.e2e-spec.ts', '.slow-spec.ts'];

/** Returns unknown names as `path: name`. */
function unknown(pattern: RegExp, isKnown: (...groups: string[]) => boolean): string[] {
  return code.flatMap(({ path, line }) =>
    [...line.matchAll(pattern)]
      .filter(([, ...groups]) => !isKnown(...groups))
      .map(([found]) => `${path}: ${found}`),
  );
}

describe('references in the documents', () => {
  const { scripts } = JSON.parse(read('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };

  it('name existing npm scripts', () => {
    const isScript = (name = '') => name in scripts;
    expect(unknown(/\bnpm run (?:--?\w+ )*([\w:]+)/g, isScript)).toEqual([]);
  });

  it('name existing operator commands and options', () => {
    const program = createProgram();
    const groups = program.commands.map((command) => command.name());
    const pattern = new RegExp(
      `(?:^|cli(?:\\.js)? (?:-- )?)((?:${groups.join('|')})(?: [a-z<].*)?)$`,
      'g',
    );
    const isCommand = (call = '') =>
      problemWith(program, call.split(/\s[#|&>]|\)"/)[0] ?? '') === null;
    expect(unknown(pattern, isCommand)).toEqual([]);
  });

  it('name existing files', () => {
    const files = globSync(`{${folders.replaceAll('|', ',')}}/**`).map((path) => `/${path}`);
    const isFile = (path = '') =>
      isIgnored(path) || ends.some((end) => files.some((file) => file.endsWith(`/${path}${end}`)));
    const below = new RegExp(`^((?:${folders})/[\\w./-]*[\\w-])/?$`, 'g');
    const relative = /^([\w-]+(?:\/[\w-]+)+\.(?:ts|mjs|md|json|yml))$/g;
    expect([...unknown(below, isFile), ...unknown(relative, isFile)]).toEqual([]);
  });

  it('name existing link targets', () => {
    const broken = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, file = '', anchor]) => {
          const target = file === '' ? path : join(dirname(path), file);
          if (!existsSync(target)) return true;
          return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
        })
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('a document for partners', () => {
  const files = filesOf('{docs/{openapi.json,guides/**/*.*},clients/**/*.{md,bru,ts}}');
  const partnerFiles = files.filter((path) => !path.endsWith('operator.md'));

  it.each(partnerFiles)('contains no settings or operator commands: %s', (file) => {
    const text = read(file);
    // One-word names such as PORT are also settings of the guides' programs.
    const settings = variableNames.filter((name) => name.includes('_'));
    expect(settings.filter((name) => new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
    expect(text).not.toMatch(/npm run cli|`key issue/);
  });
});

it('docs/operations.md explains log lines that the service writes', () => {
  const [, table = ''] = /^\| You see.*?\n(.*?)\n\n/ms.exec(read('docs/operations.md')) ?? [];
  const lines = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, line = '']) => line);
  const source = globSync('src/**/*.ts').map(read).join('\n');
  expect(lines.filter((line) => !source.includes(line))).toEqual([]);
  expect(lines.length).toBeGreaterThan(10);
});

it('docs/architecture.md describes every folder of src', () => {
  const [, table = ''] = /^## Modules\n(.*?)^## /ms.exec(read('docs/architecture.md')) ?? [];
  const named = [...table.matchAll(/^\| `(\w[\w-]*)\/`/gm)].map(([, folder]) => folder);
  const inSource = readdirSync('src', { withFileTypes: true }).filter((each) => each.isDirectory());
  expect(named.toSorted()).toEqual([...inSource.map(({ name }) => name), 'src'].toSorted());
});

describe('docs/rules.md', () => {
  const rules = read('docs/rules.md');
  const headings: string[] =
    rules.match(/(?<=^### <a id="[a-z]+-\d+"><\/a>)[A-Z]+-\d+(?=: )/gm) ?? [];

  it('contains each cited rule exactly once', () => {
    const areas = new Set(headings.map((heading) => heading.split('-')[0]));
    const cited = new RegExp(`\\b(?:${[...areas].join('|')})-\\d+\\b`, 'g');
    const unknownRules = globSync('{src,test,docs}/**/*.{ts,mjs,md}').flatMap((file) =>
      (read(file).match(cited) ?? [])
        .filter((rule) => !headings.includes(rule))
        .map((rule) => `${file}: ${rule}`),
    );
    expect(unknownRules).toEqual([]);
    expect(new Set(headings).size).toBe(headings.length);
    expect(headings.length).toBeGreaterThan(70);
  });

  it('names every query parameter of the reference', () => {
    const parameters = documentedOperations()
      .flatMap(({ positions }) => positions)
      .flatMap(({ place, steps }) => (place === 'query' ? steps : []));
    const unnamed = parameters.filter((name) => !new RegExp(`\\b${name}\\b`).test(rules));
    expect([...new Set(unnamed)]).toEqual([]);
    expect(parameters.length).toBeGreaterThan(20);
  });
});

it('package-lock.json contains the hash of every package, including other platforms', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  const locked = Object.entries(packages).filter(([path]) => path !== '');
  const unhashed = locked.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));
  expect(unhashed.map(([path]) => path)).toEqual([]);
});

/** Files at ignored paths are created by programs. */
function isIgnored(path: string): boolean {
  return read('.gitignore').split('\n').includes(path);
}

/** Returns the unknown command or option of a command line, or null if all are known. */
function problemWith(program: CommandUnknownOpts, call: string): string | null {
  let command = program;
  for (const word of call.split(' ')) {
    const next = command.commands.find((one) => one.name() === word);
    if (next !== undefined) command = next;
    else if (command.commands.length > 0 && !word.startsWith('-')) return `unknown command ${word}`;
    const [option = ''] = /^--[\w-]+/.exec(word) ?? [];
    const known = [...command.options.map(({ long }) => long), '--help'];
    if (option !== '' && !known.includes(option)) return `unknown option ${option}`;
  }
  return null;
}

function anchorsOf(markdown: string): string[] {
  const slugger = new GithubSlugger();
  const explicit = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const generated = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    slugger.slug(heading.replaceAll('`', '')),
  );
  return [...explicit, ...generated];
}
