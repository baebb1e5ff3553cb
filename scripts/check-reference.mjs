// Checks docs/openapi.json: the recommended rules of Redocly and Spectral, and that no client of the
// last released document breaks. With `--release` the document of now becomes the released one.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { breakingChanges } from './breaking-changes.mjs';

const root = join(import.meta.dirname, '..');
const current = join(root, 'docs/openapi.json');
const released = join(root, 'docs/openapi-released.json');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

function redoclyProblems() {
  const program = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'lint', current, '--extends', 'recommended', '--format', 'json'],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    },
  );
  if (!stdout.startsWith('{')) return [`Redocly did not run: ${stdout}${stderr}`];
  return JSON.parse(stdout).problems.map(
    ({ ruleId, message, location: [at] }) => `Redocly ${ruleId}: ${message} (${at?.pointer})`,
  );
}

async function spectralProblems() {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
  const results = await linter.run(read(current));
  return results.map(({ code, message, path }) => {
    return `Spectral ${code}: ${message} (${path.join('/')})`;
  });
}

if (process.argv.includes('--release')) copyFileSync(current, released);

const problems = [
  ...redoclyProblems(),
  ...(await spectralProblems()),
  ...breakingChanges(read(released), read(current)).map((change) => `Breaks clients: ${change}`),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) {
  process.stderr.write(
    `docs/openapi.json: ${problems.length} problems. Mend the decorators that it is made from, then ` +
      'run `npm run generate`. A change that breaks clients needs a new version of the API; before ' +
      'a release `npm run check:reference -- --release` takes the document as it is.\n',
  );
  process.exitCode = 1;
} else {
  process.stdout.write('docs/openapi.json: no problems, no change that breaks clients\n');
}
