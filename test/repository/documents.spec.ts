import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import GithubSlugger from 'github-slugger';
import { variableNames } from '../../src/core/configuration/variables.js';
import { createProgram } from '../../src/operator/cli/command-line/program.js';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => join('docs', path)),
  ...readdirSync('clients', { recursive: true, encoding: 'utf8' }).map((path) =>
    join('clients', path),
  ),
]
  .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Lines of code blocks and spans of the documents, with their files. */
const code = documents.flatMap(({ path, text }) => {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, block = '']) => block);
  const spans = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)];
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  return [...lines, ...spans.map(([, span = '']) => span.replaceAll('\n', ' '))].map((line) => ({
    path,
    line,
  }));
});

const folders = ['bench', 'clients', 'docs', 'ops', 'scripts', 'src', 'test'];
/** Suffixes that paths may omit. */
const ends = ['', '.ts', '.spec.ts', '.e2e-spec.ts', '.slow-spec.ts'];

/** As `path: name`. */
function unknown(pattern: RegExp, isKnown: (...groups: string[]) => boolean): string[] {
  return code.flatMap(({ path, line }) =>
    [...line.matchAll(pattern)]
      .filter(([, ...groups]) => !isKnown(...groups))
      .map(([found]) => `${path}: ${found}`),
  );
}

describe('references in the documents', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
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
      complaintAbout(program, call.split(/\s[#|&>]/)[0] ?? '') === null;
    expect(unknown(pattern, isCommand)).toEqual([]);
  });

  it('name existing files', () => {
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
        (path) => `/${folder}/${path}`,
      ),
    );
    const isFile = (path = '') =>
      isIgnored(path) || ends.some((end) => files.some((file) => file.endsWith(`/${path}${end}`)));
    const below = new RegExp(`^((?:${folders.join('|')})/[\\w./-]*[\\w-])/?$`, 'g');
    const relative = /^([\w-]+(?:\/[\w-]+)+\.(?:ts|mjs|md|json|yml))$/g;
    expect([...unknown(below, isFile), ...unknown(relative, isFile)]).toEqual([]);
  });

  it('name existing link targets', () => {
    const broken = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, file = '', anchor]) => {
          const target = file === '' ? path : join(dirname(path), file);
          if (!existsSync(target)) return true;
          return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
        })
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('a document for partners', () => {
  const files = [
    'docs/openapi.json',
    ...readdirSync('docs/guides', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('.') && path !== 'operator.md')
      .map((path) => join('docs/guides', path)),
    ...readdirSync('clients', { recursive: true, encoding: 'utf8' })
      .filter((path) => /^(?!.*(node_modules|dist)).+\.(md|bru|ts)$/.test(path))
      .map((path) => join('clients', path)),
  ];

  it.each(files)('contains no settings or operator commands: %s', (file) => {
    const text = readFileSync(file, 'utf8');
    // The guides' programs have one-word settings such as PORT too.
    const settings = variableNames.filter((name) => name.includes('_'));
    expect(settings.filter((name) => new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
    expect(text).not.toMatch(/npm run cli|`key issue/);
  });
});

it('documents name the exceptions wherever they call a 4xx final', () => {
  const texts = [...documents.map(({ text }) => text), readFileSync('docs/openapi.json', 'utf8')];
  const sentences = texts.flatMap((text) => text.match(/4xx[^.;:]*\bfinal\b[^.]*/gi) ?? []);
  expect(sentences.length).toBeGreaterThan(1);
  const exceptions = /408, 409\s+and\s+429/;
  expect(sentences.filter((sentence) => !exceptions.test(sentence))).toEqual([]);
});

it('docs/operations.md explains log lines that the service writes', () => {
  const [, table = ''] =
    /^\| You see.*?\n(.*?)\n\n/ms.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
  const lines = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, line = '']) => line);
  const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join('src', path), 'utf8'))
    .join('\n');
  expect(lines.filter((line) => !source.includes(line))).toEqual([]);
  expect(lines.length).toBeGreaterThan(10);
});

it('docs/architecture.md describes every folder of src', () => {
  const [, table = ''] =
    /^## Modules\n(.*?)^## /ms.exec(readFileSync('docs/architecture.md', 'utf8')) ?? [];
  const named = [...table.matchAll(/^\| `(\w[\w-]*)\/`/gm)].map(([, folder]) => folder);
  const inSource = readdirSync('src', { withFileTypes: true }).filter((each) => each.isDirectory());
  expect(named.toSorted()).toEqual([...inSource.map(({ name }) => name), 'src'].toSorted());
});

/** Whether it is what programs write. */
function isIgnored(path: string): boolean {
  return readFileSync('.gitignore', 'utf8').split('\n').includes(path);
}

/** An unknown command or option of a command line; null if all are known. */
function complaintAbout(program: Command, call: string): string | null {
  let command = program;
  for (const word of call.split(' ')) {
    const next = command.commands.find((one) => one.name() === word);
    if (next !== undefined) command = next;
    else if (command.commands.length > 0 && !word.startsWith('-')) return `no command ${word}`;
    const [option = ''] = /^--[\w-]+/.exec(word) ?? [];
    const known = [...command.options.map(({ long }) => long), '--help'];
    if (option !== '' && !known.includes(option)) return `no option ${option}`;
  }
  return null;
}

function anchorsOf(markdown: string): string[] {
  const slugger = new GithubSlugger();
  const own = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const made = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    slugger.slug(heading.replaceAll('`', '')),
  );
  return [...own, ...made];
}
