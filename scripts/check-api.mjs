// Compares docs/openapi.json with the newest released document of the same major version, and fails if the change
// could break a client (docs/versioning.md). Needs no packages, only oasdiff or Go; without them, it says so and passes.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goTool } from './go-tool.mjs';

const root = join(import.meta.dirname, '..');
const current = join(root, 'docs/openapi.json');

/** Returns the reasons why the API of `version` would break clients of the last release; throws if oasdiff fails. */
export function breakingChanges(version) {
  const base = lastDocument(version);
  if (base === null) return skipped(`no document of version ${majorOf(version)} was released`);
  // oasdiff does not compare the values of headers in responses.
  const removed = errorCodes(base).filter((code) => !errorCodes(current).includes(code));
  return [
    ...removed.map((code) => `The error code ${code} was removed.`),
    ...incompatibilities(base),
  ];
}

/** Returns what oasdiff reports, as one text. */
function incompatibilities(base) {
  const tool = goTool('oasdiff');
  if (tool === null) return skipped('neither oasdiff nor Go is installed');
  const [command, ...args] = tool;
  const severities = join(import.meta.dirname, 'api-severities.txt');
  const { status, stdout, stderr } = spawnSync(
    command,
    [...args, 'breaking', '--fail-on', 'ERR', '--severity-levels', severities, base, current],
    { encoding: 'utf8' },
  );
  // `go run` also exits with 1 if it cannot build the program, but then nothing is printed to stdout.
  if (status !== 0 && stdout === '') throw new Error(`oasdiff could not run: ${stderr.trim()}`);
  return status === 0 ? [] : [stdout.trim()];
}

const majorOf = (version) => version.split('.')[0];

function lastDocument(version) {
  const folder = join(root, 'docs/api');
  const released = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.replace('.json', ''))
    .filter((other) => majorOf(other) === majorOf(version))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return released.length === 0 ? null : join(folder, `${released.at(-1)}.json`);
}

function errorCodes(document) {
  return JSON.parse(readFileSync(document, 'utf8')).components.headers['x-error-code'].schema.enum;
}

function skipped(reason) {
  process.stdout.write(`The API was not compared with a released one: ${reason}.\n`);
  return [];
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changes = breakingChanges(version);
  process.stdout.write(changes.map((change) => `${change}\n`).join(''));
  process.exitCode = changes.length === 0 ? 0 : 1;
}
