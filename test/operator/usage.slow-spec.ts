import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { createProgram } from '../../src/operator/cli/command-line/program.js';
import {
  type BatchOutcome,
  runBatch,
  runCli,
  runCliProcess,
  runCliUnread,
} from './command-line.js';

const id = '665f1c2ab7e4d2f0a1b2c3d4';
/** All that there are, as the words that call them. */
const commands = createProgram().commands.flatMap((group) =>
  group.commands.length === 0
    ? [[group.name()]]
    : group.commands.map((command) => [group.name(), command.name()]),
);

/** These load what judges them; all others are in `light-command-line.slow-spec.ts`. */
const wrongUsages: readonly (readonly [string, ...string[]])[] = [
  ['ISO 3166 alpha-2', 'org', 'update', id, '--phone-country', 'XX'],
  ['--lead) or the person (--phone, --email)', 'lead', 'erase', '--org', id],
  ['--lead) or the person', 'lead', 'erase', '--org', id, '--lead', 'a', '--phone', '01001234567'],
  ['is no phone', 'lead', 'erase', '--org', id, '--phone', '12'],
  ['is no email', 'lead', 'erase', '--org', id, '--email', 'mona'],
];

describe('the help', () => {
  it('contains description and example of every command without a database', async () => {
    const outcomes = await runBatch(commands.map((command) => [...command, '--help']));
    expect(outcomes).toHaveLength(commands.length);
    for (const { args, code, text } of outcomes) {
      const call = args.slice(0, -1).join(' ');
      expect(code).toBe(0);
      expect(text).toMatch(new RegExp(`^Usage: npm run cli -- ${call}.*\\n\\n[a-z].+\\n`));
      expect(text).toMatch(new RegExp(`Example:\n  npm run (--silent )?cli -- ${call}`));
      // Output into a file must not have lines of npm.
      expect(text).not.toMatch(/npm run cli .* > /);
      expect(text.includes('--json')).toBe(call !== 'demo');
    }
  });

  it('is printed for a group without a subcommand', async () => {
    const groups = new Set(
      commands.flatMap(([group, ...rest]) => (rest.length > 0 ? (group ?? []) : [])),
    );
    const outcomes = await runBatch([[], ...[...groups].map((group) => [group])]);
    expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => 0));
    for (const { args, text } of outcomes) {
      expect(text).toContain(`Usage: npm run cli -- ${args.join('')}`);
      expect(text).toContain('Commands:');
      expect(text).toContain('Example:\n  npm run cli -- ');
    }
  });
});

describe('standard output', () => {
  it('can be closed early', async () => {
    expect(await runCliUnread(['--help'])).toEqual({ code: 0, stderr: '' });
  });

  it('causes exit code 1 and one line when it cannot be written', async () => {
    expect(await runCliUnread(['--help'], {}, '/dev/full')).toEqual({
      code: 1,
      stderr: 'The output could not be written: ENOSPC: no space left on device, write\n',
    });
  });
});

describe('wrong usage', () => {
  it('exits with 2 and one line before a database connection is opened', async () => {
    const outcomes = await runBatch(wrongUsages.map(([, ...args]) => args));
    expect(outcomes.map(describeOutcome)).toEqual(
      wrongUsages.map(([words, ...args]) => `${args.join(' ')}: 2, ${words}`),
    );
  });

  it('is reported on standard error', async () => {
    const { code, stdout, stderr } = await runCli(['org', 'show', 'nile-homes', '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
  });
});

describe('npm run cli without --', () => {
  it('rejects an option that npm consumed', async () => {
    const variables = { npm_lifecycle_event: 'cli', npm_config_dry_run: 'true' };
    const outcome = await runCliProcess(['lead', 'erase', 'form-1', id], variables);
    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: npm kept the option --dry-run for itself: put -- before the command, ' +
        'as in `npm run cli -- lead erase --dry-run`.\n',
    });
    const given = await runCliProcess(['lead', 'erase', '--dry-run'], variables);
    expect(given.stderr).toContain("required option '--org <id>' not specified");
  });
});

it('prints the version with --version', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

/** The expected text when it is in a text of one line, otherwise the whole text. */
function describeOutcome({ args, code, text }: BatchOutcome, index: number): string {
  const words = wrongUsages[index]?.[0] ?? '';
  const isOneLine = /^error: [^\n]+\n$/.test(text);
  return `${args.join(' ')}: ${code}, ${isOneLine && text.includes(words) ? words : text}`;
}
