// Draws in docs/architecture.md which folders of `src` build on which, from the imports of the code.
// With `--check` it writes nothing, and fails when the drawing is not what it would write.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractTypeScriptConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = join(import.meta.dirname, '..');
const path = 'docs/architecture.md';
const marked = /(<!-- modules -->\n)[^]*?(<!-- \/modules -->)/;

process.chdir(root);
const text = await readFile(path, 'utf8');
const drawn = text.replace(marked, `$1\n${drawing(await imports())}\n\n$2`);
if (!process.argv.includes('--check')) {
  await writeFile(path, drawn);
  process.stdout.write(`${path}\n`);
} else if (drawn !== text) {
  process.stderr.write(`The modules in ${path} are not those of the code: run npm run generate\n`);
  process.exitCode = 1;
}

/** Which folders each folder imports from at run time; the entry points, which use everything, are left out. */
async function imports() {
  const { options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
  const only = { includeOnly: '^src/[^/]+/', exclude: String.raw`\.spec\.ts$` };
  const tsConfig = extractTypeScriptConfig(options.tsConfig.fileName);
  const { output } = await cruise(['src'], { ...options, ...only }, undefined, { tsConfig });
  const graph = new Map();
  for (const { source, dependencies } of output.modules) {
    const targets = graph.get(folderOf(source)) ?? new Set();
    graph.set(folderOf(source), targets);
    for (const { resolved, dependencyTypes } of dependencies) {
      if (!dependencyTypes.includes('type-only')) targets.add(folderOf(resolved));
    }
    targets.delete(folderOf(source));
  }
  return graph;
}

function folderOf(file) {
  return file.split('/')[1];
}

/** The graph without the arrows that others imply, as Mermaid. */
function drawing(graph) {
  const lines = [...graph]
    .toSorted(([one], [other]) => byName(one, other))
    .flatMap(([from, targets]) =>
      [...targets].toSorted(byName).flatMap((to) => {
        const isImplied = [...targets].some(
          (by) => by !== to && !reaches(graph, by, from) && reaches(graph, by, to),
        );
        // Folders that need each other: both arrows are there, as one.
        const isMutual = reaches(graph, to, from);
        if (isMutual)
          return graph.get(to)?.has(from) && from < to ? [`${node(from)} <--> ${node(to)}`] : [];
        return isImplied ? [] : [`${node(from)} --> ${node(to)}`];
      }),
    );
  return ['```mermaid', 'flowchart TD', ...lines.map((line) => `  ${line}`), '```'].join('\n');
}

function byName(one, other) {
  return one.localeCompare(other, 'en');
}

function reaches(graph, from, to, passed = new Set()) {
  if (passed.has(from)) return false;
  passed.add(from);
  return [...(graph.get(from) ?? [])].some(
    (next) => next === to || reaches(graph, next, to, passed),
  );
}

function node(folder) {
  return `${folder.replaceAll(/\W/g, '_')}[${folder}/]`;
}
