// Everything that has to pass: what looks at files, side by side, then the tests, which get the
// arguments. Each step is the npm script of its name and can be run alone.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runSideBySide } from './side-by-side.mjs';

/** What to do when a script fails; the longest come first. */
const remedies = {
  'check:reference': 'as it says above; docs/versioning.md says what breaks clients.',
  unused: 'delete what nothing uses; what a tool uses unseen is named in knip.json.',
  lint: 'mend what it names; `npm run lint -- --fix` mends some of it. The rules are in .oxlintrc.json.',
  typecheck: 'mend the types that it names.',
  boundaries:
    'import through a module that may be imported: docs/architecture.md says which, the rules with ' +
    'their reasons are in .dependency-cruiser.cjs.',
  'format:check': '`npm run format` writes it as it has to be.',
  audit: 'update the package that it names, or the one that brings it (docs/security.md).',
  sbom: 'mend package-lock.json with `npm install`.',
  build: 'mend what the compiler names.',
};

process.chdir(join(import.meta.dirname, '..'));
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const steps = Object.entries(remedies).map(([name, remedy]) => ({
  name: `npm run ${name}`,
  command: scripts[name],
  remedy,
}));
const print = (text) => process.stdout.write(text);

const failed = await runSideBySide(steps, availableParallelism(), print);
if (failed.length > 0) {
  print(`Failed: ${failed.join(', ')}. The tests have not been run.\n`);
  process.exitCode = 1;
} else {
  const { status } = spawnSync('npm', ['test', '--', ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    print('Failed: npm test. `npm test -- path/of/the/file` runs one file alone.\n');
    process.exitCode = 1;
  }
}
