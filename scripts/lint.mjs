// Everything that is checked without running the program, side by side. `npm run lint -- types boundaries` checks
// these alone.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runSideBySide } from './side-by-side.mjs';

/** The longest come first. */
const checks = [
  {
    name: 'types',
    command:
      'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/typecheck.tsbuildinfo && tsc --noEmit --project clients/typescript',
    remedy: 'fix the types that it names.',
  },
  {
    name: 'rules',
    command: 'oxlint --type-aware --deny-warnings',
    remedy:
      'fix the reported lines; `npx oxlint --type-aware --fix` fixes some of them. The rules are in .oxlintrc.json.',
  },
  {
    name: 'boundaries',
    command: 'depcruise src --config .dependency-cruiser.cjs',
    remedy:
      'import through a module that may be imported: docs/architecture.md says which, the rules with ' +
      'their reasons are in .dependency-cruiser.cjs.',
  },
  {
    name: 'unused',
    command: 'knip && knip --production --exclude exports,types',
    remedy: 'delete what nothing uses; what a tool uses unseen is named in knip.json.',
  },
  {
    name: 'reference',
    command: 'redocly lint docs/openapi.json --extends recommended-strict --format stylish',
    remedy: 'fix the decorators that the document is made from, then run `npm run generate`.',
  },
  {
    name: 'format',
    command: 'prettier --cache --check .',
    remedy: '`npm run format` writes it as it has to be.',
  },
];

const print = (text) => process.stdout.write(text);

process.chdir(join(import.meta.dirname, '..'));
process.env.REDOCLY_TELEMETRY = 'off';
process.env.REDOCLY_SUPPRESS_UPDATE_NOTICE = 'true';
const names = process.argv.slice(2);
const unknown = names.filter((name) => !checks.some((check) => check.name === name));
const chosen = checks.filter(({ name }) => names.length === 0 || names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no check ${unknown.join(', ')}; there are ${checks.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exitCode = 2;
} else {
  const failed = await runSideBySide(chosen, availableParallelism(), print);
  if (failed.length > 0) {
    print(`Failed: ${failed.join(', ')}.\n`);
    process.exitCode = 1;
  }
}
