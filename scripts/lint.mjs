// Runs all static checks in parallel; `npm run lint -- types boundaries` runs only these two.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import PQueue from 'p-queue';

/** Sorted by duration, longest first. */
const checks = [
  {
    name: 'types',
    command:
      'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/typecheck.tsbuildinfo && tsc --noEmit --project clients/typescript',
    remedy: 'fix the reported types.',
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
      'import only what docs/architecture.md permits; .dependency-cruiser.cjs has the rules with ' +
      'their reasons.',
  },
  {
    name: 'unused',
    command: 'knip && knip --production --exclude exports,types',
    remedy: 'delete the unused code; if only a tool uses it, add it to knip.json.',
  },
  {
    name: 'reference',
    command:
      'redocly lint docs/openapi.json --extends recommended-strict --format stylish && ' +
      'node scripts/generate-client.mjs --check',
    remedy: 'fix the decorators that describe the API, then run `npm run generate`.',
  },
  {
    name: 'rooms',
    command: 'node scripts/check-rooms.mjs',
    remedy: 'move the reported lines where docs/architecture.md says they belong.',
  },
  {
    name: 'words',
    command: 'node scripts/check-words.mjs',
    remedy: 'reword the reported lines as suggested.',
  },
  {
    name: 'workflows',
    command: 'node scripts/check-workflows.mjs',
    remedy: 'fix the reported lines of .github/workflows.',
  },
  {
    name: 'commits',
    command: 'node scripts/check-commits.mjs',
    remedy: 'reword the subjects: `type(scope): imperative`, at most 72 characters.',
  },
  {
    name: 'format',
    command: 'prettier --cache --check .',
    remedy: 'run `npm run format`.',
  },
];

process.chdir(join(import.meta.dirname, '..'));
process.env.REDOCLY_TELEMETRY = 'off';
process.env.REDOCLY_SUPPRESS_UPDATE_NOTICE = 'true';
const names = process.argv.slice(2);
const unknown = names.filter((name) => !checks.some((check) => check.name === name));
const chosen = checks.filter(({ name }) => names.length === 0 || names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown check ${unknown.join(', ')}: choose from ${checks.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exitCode = 2;
} else {
  const queue = new PQueue({ concurrency: availableParallelism() });
  const failed = (await queue.addAll(chosen.map((check) => () => runCheck(check)))).filter(Boolean);
  if (failed.length > 0) {
    process.stdout.write(`Failed: ${failed.join(', ')}.\n`);
    process.exitCode = 1;
  }
}

/** Runs a check and prints its output when it fails; returns the name of a failed check. It is skipped if it exits with 77. */
async function runCheck({ name, command, remedy }) {
  const startedAt = performance.now();
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  const isPassed = code === 0 || code === 77;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(
    isPassed
      ? `${code === 0 ? 'passed ' : `skipped, ${output.join('').trim()}: `} ${name} (${seconds} s)\n`
      : `\nFAILED  ${name} (${seconds} s): ${command}\n${output.join('').trim()}\nWhat to do: ${remedy}\n\n`,
  );
  return isPassed ? '' : name;
}
