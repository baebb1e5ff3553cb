// `npm run release -- 1.2.3` makes the commit of a release; `--notes 1.2.3` prints the section of the changelog.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { breakingChanges } from './check-api.mjs';

/** Files that name the version of the image. */
const filesWithVersion = [
  'docs/deployment.md',
  'ops/compose/compose.yaml',
  'ops/kubernetes/kustomization.yaml',
];
const version = String.raw`\d+\.\d+\.\d+`;
const versionPattern = new RegExp(
  `(?<=integration-api:|VERSION=|VERSION:-|newTag: )${version}`,
  'g',
);
const heading = new RegExp(`^## (?:Unreleased|(${version}) .*)$`, 'gm');

process.chdir(join(import.meta.dirname, '..'));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { notes: { type: 'string' } },
});
try {
  if (values.notes === undefined) release(positionals);
  else process.stdout.write(`${sectionOf(values.notes)}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function release([next, ...rest]) {
  if (rest.length > 0 || !new RegExp(`^${version}$`).test(next ?? '')) {
    throw new Error('Name the version: npm run release -- 1.2.3');
  }
  const last = releasedVersions().at(0) ?? '0.0.0';
  if (last.localeCompare(next, 'en', { numeric: true }) >= 0) {
    throw new Error(`Version ${last} is released. Name a higher one.`);
  }
  if (sectionOf('Unreleased') === '') {
    throw new Error(
      'CHANGELOG.md has nothing under Unreleased. Write what changes for its readers.',
    );
  }
  if (run('git', 'status', '--porcelain') !== '') {
    throw new Error('There are uncommitted changes. Commit or discard them.');
  }
  const changes = breakingChanges(next);
  if (changes.length > 0) {
    throw new Error(
      `${changes.join('\n')}\nThe API would break clients within a major version. Undo these changes.`,
    );
  }
  setVersions(next);
  closeSection(next);
  copyFileSync('docs/openapi.json', `docs/api/${next}.json`);
  run('git', 'add', '--all');
  run('git', 'commit', '--message', `chore(release): release ${next}`);
  process.stdout.write(
    `Version ${next} is committed. After .ci/run passed, publish it:\n` +
      `  git tag --annotate v${next} --message v${next}\n  git push origin HEAD v${next}\n`,
  );
}

/** Sets the version of the service, its client, the manifests and the documents. */
function setVersions(next) {
  for (const folder of ['.', 'clients/typescript']) {
    run('npm', '--prefix', folder, 'version', next, '--no-git-tag-version', '--allow-same-version');
  }
  for (const file of filesWithVersion) {
    const text = readFileSync(file, 'utf8');
    if (text.search(versionPattern) < 0) throw new Error(`${file} names no version of the image.`);
    writeFileSync(file, text.replaceAll(versionPattern, next));
  }
}

function closeSection(next) {
  const date = new Date().toISOString().slice(0, 10);
  const text = readFileSync('CHANGELOG.md', 'utf8');
  writeFileSync(
    'CHANGELOG.md',
    text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${next} (${date})`),
  );
}

/** Returns the released versions, newest first. */
function releasedVersions() {
  const headings = readFileSync('CHANGELOG.md', 'utf8').matchAll(heading);
  return [...headings].map(([, released]) => released).filter((released) => released !== undefined);
}

/** Returns the text below the heading of a version, or of `Unreleased`; throws if there is no such heading. */
function sectionOf(name) {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  const headings = [...text.matchAll(heading)];
  const index = headings.findIndex(([, released = 'Unreleased']) => released === name);
  if (index < 0) throw new Error(`CHANGELOG.md has no section ${name}.`);
  const [found] = headings[index];
  const start = headings[index].index + found.length;
  return text.slice(start, headings[index + 1]?.index).trim();
}

/** Runs a command and returns its output; throws with its errors if it fails. */
function run(command, ...args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const message = `${command} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`;
    throw new Error(message.trim(), { cause: error });
  }
}
