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

const wrongUsages: readonly (readonly [string, ...string[]])[] = [
  ["unknown command 'invoice'", 'invoice'],
  ["unknown command 'delete'", 'org', 'delete'],
  ["unknown option '--colour'", 'org', 'list', '--colour'],
  ["required option '--name <name>' not specified", 'org', 'create'],
  ["option '--name <name>' argument ' ' is invalid", 'org', 'create', '--name', ' '],
  ['24 hexadecimal digits', 'org', 'show', 'nile-homes'],
  ['must not be empty', 'key', 'list', '--org', ' '],
  ["missing required argument 'id'", 'org', 'show'],
  ["missing required argument 'id-or-prefix'", 'key', 'revoke'],
  ['give at least one option to change', 'org', 'update', id],
  ['ISO 3166 alpha-2', 'org', 'update', id, '--phone-country', 'XX'],
  ['ISO 3166 alpha-2', 'org', 'update', id, '--phone-country', 'EGY'],
  ['true or false', 'org', 'update', id, '--allow-conflict-leads', 'yes'],
  ['true or false', 'org', 'update', id, '--create-clients', 'True'],
  ['true or false', 'org', 'update', id, '--update-clients', '1'],
  ['phone, email or both', 'org', 'update', id, '--match-clients-by', 'phone,name'],
  ['phone, email or both', 'org', 'update', id, '--match-clients-by', 'phone,phone'],
  ['phone, email or both', 'org', 'update', id, '--match-clients-by', ''],
  ['host name', 'org', 'update', id, '--api-domain', 'https://api.example.com'],
  ['host name', 'org', 'update', id, '--api-domain', 'api.example.com:443'],
  ['host name', 'org', 'update', id, '--api-domain', 'api_1.example.com'],
  ['host name', 'org', 'update', id, '--api-domain', '10.0.0.1'],
  ['http or https address', 'org', 'update', id, '--logo', 'logo.png'],
  ['http or https address', 'org', 'update', id, '--logo', 'javascript:alert(1)'],
  ['24 hexadecimal digits', 'reservation', 'show', 'deal-1'],
  ["missing required argument 'id'", 'reservation', 'callbacks'],
  ['number from 1 to 10000', 'reservation', 'callbacks', id, '--limit', '0'],
  [
    '2030-01-31',
    'key',
    'issue',
    '--org',
    id,
    '--name',
    'A',
    '--for',
    'crm',
    '--expires',
    'tomorrow',
  ],
  [
    '2030-01-31',
    'key',
    'issue',
    '--org',
    id,
    '--name',
    'A',
    '--for',
    'crm',
    '--expires',
    '2030-02-30',
  ],
  [
    '2030-01-31',
    'key',
    'issue',
    '--org',
    id,
    '--name',
    'A',
    '--for',
    'crm',
    '--expires',
    '2030-02-01T10:00',
  ],
  ['number of hours', 'key', 'rotate', 'iapi_x', '--overlap-hours=-1'],
  ['number of hours', 'key', 'rotate', 'iapi_x', '--overlap-hours', '8761'],
  ['wallet.restored', 'webhook', 'add', '--org', id, '--url', 'https://a.example', '--events', 'x'],
  ['http or https address', 'webhook', 'update', id, '--url', 'ftp://a.example'],
  ['give at least one option to change', 'webhook', 'update', id],
  ['24 hexadecimal digits', 'webhook', 'test', 'mine'],
  ['pending, delivered, failed', 'webhook', 'deliveries', id, '--status', 'lost'],
  ['number from 1 to 10000', 'webhook', 'deliveries', id, '--limit', '0'],
  ["missing required argument 'id'", 'webhook', 'replay'],
  ["required option '--org <id>' not specified: `org list`", 'lead', 'history', 'form-1'],
  ["unknown option '--evnts' (Did you mean --events?)", 'webhook', 'add', '--evnts', 'lead.*'],
  ['endpoint or delivery, or --org', 'webhook', 'deliveries'],
  ['--lead) or the person (--phone, --email)', 'lead', 'erase', '--org', id],
  ['--lead) or the person', 'lead', 'erase', '--org', id, '--lead', 'a', '--phone', '01001234567'],
  ['is no phone', 'lead', 'erase', '--org', id, '--phone', '12'],
  ['is no email', 'lead', 'erase', '--org', id, '--email', 'mona'],
  ['--burst requires --rps', 'key', 'limit', 'iapi_x', '--burst', '5'],
  [
    '--burst requires --rps',
    'key',
    'issue',
    '--org',
    id,
    '--name',
    'A',
    '--for',
    'crm',
    '--burst',
    '5',
  ],
  ['a limit (--rps) or', 'key', 'limit', 'iapi_x'],
  ['a limit (--rps) or', 'key', 'limit', 'iapi_x', '--rps', '5', '--default'],
  ['en-us or ar-eg', 'lead', 'import', 'a.csv', '--org', id, '--language', 'ar'],
];

describe('help', () => {
  it('prints description and example of every command without a database', async () => {
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
  it('may be closed early', async () => {
    expect(await runCliUnread(['--help'])).toEqual({ code: 0, stderr: '' });
  });

  it('ends with 1 and one line when it cannot be written', async () => {
    expect(await runCliUnread(['--help'], {}, '/dev/full')).toEqual({
      code: 1,
      stderr: 'The output could not be written: ENOSPC: no space left on device, write\n',
    });
  });
});

describe('wrong usage', () => {
  it('ends with 2 and one line before a database is opened', async () => {
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
  it('rejects an option that npm kept', async () => {
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

it('prints the version for --version', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

/** The expected text when it is in a text of one line, otherwise the whole text. */
function describeOutcome({ args, code, text }: BatchOutcome, index: number): string {
  const words = wrongUsages[index]?.[0] ?? '';
  const isOneLine = /^error: [^\n]+\n$/.test(text);
  return `${args.join(' ')}: ${code}, ${isOneLine && text.includes(words) ? words : text}`;
}
