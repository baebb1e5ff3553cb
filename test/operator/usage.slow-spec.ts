import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { createProgram } from '../../src/operator/cli/command-line/program.js';
import { runCli, runCliProcess, runCliUnread } from './command-line.js';

const id = '665f1c2ab7e4d2f0a1b2c3d4';
const groups = createProgram().commands;
/** The words that call each command. */
const commands = groups.flatMap((group) =>
  group.commands.map((command) => `${group.name()} ${command.name()}`),
);

/** A part of the message, the words of a command and, apart, arguments with spaces or without any text. */
const wrongUsages: readonly (readonly [part: string, command: string, ...string[]])[] = [
  ["unknown command 'invoice'", 'invoice'],
  ...groups.map((group) => ["unknown command 'x'", `${group.name()} x`] as const),
  ["unknown option '--colour'", 'org list --colour'],
  ["unknown option '--evnts' (Did you mean --events?)", 'webhook add --evnts lead.*'],
  ["required option '--name <name>' not specified", 'org create'],
  ["required option '--org <id>' not specified: `org list`", 'lead history form-1'],
  ["missing required argument 'id'", 'org show'],
  ["missing required argument 'id'", 'reservation callbacks'],
  ["missing required argument 'id'", 'webhook replay'],
  ["missing required argument 'id-or-prefix'", 'key revoke'],
  ['endpoint or delivery, or --org', 'webhook deliveries'],
  ['24 hexadecimal digits', 'org show nile-homes'],
  ['24 hexadecimal digits', 'webhook test mine'],
  ["' ' is invalid. It must not be empty", 'org create --name', ' '],
  ['must not be empty', 'key list --org', ' '],
  ['1 to 1,024 characters', `lead show --org ${id}`, ''],
  ...['https://api.example.com', 'api.example.com:443', 'api_1.example.com', '10.0.0.1'].map(
    (domain) => ['host name', `org update ${id} --api-domain ${domain}`] as const,
  ),
  ['http or https URL', `org update ${id} --logo logo.png`],
  ['http or https URL', `org update ${id} --logo javascript:alert(1)`],
  ['http or https URL', `webhook update ${id} --url ftp://a.example`],
  ["'EGY' is invalid. It must be an ISO 3166", `org update ${id} --phone-country EGY`],
  ['true or false', `org update ${id} --allow-conflict-leads yes`],
  ['true or false', `org update ${id} --create-clients True`],
  ['true or false', `org update ${id} --update-clients 1`],
  ...['name', 'phone,name', 'phone,phone'].map(
    (fields) => ['phone, email or both', `org update ${id} --match-clients-by ${fields}`] as const,
  ),
  ['phone, email or both', `org update ${id} --match-clients-by`, ''],
  ...['tomorrow', '2030-02-30', '2030-02-01T10:00'].map(
    (when) => ['2030-01-31', `key issue --org ${id} --name A --for crm --expires ${when}`] as const,
  ),
  ['number from 0', 'key limit iapi_x --rps 1.5'],
  ['number from 1', 'key limit iapi_x --burst 0'],
  ['--burst requires --rps', 'key limit iapi_x --burst 5'],
  ['--burst requires --rps', `key issue --org ${id} --name A --for crm --burst 5`],
  ['a limit (--rps) or', 'key limit iapi_x'],
  ['a limit (--rps) or', 'key limit iapi_x --rps 5 --default'],
  ['number of hours', 'key rotate iapi_x --overlap-hours=-1'],
  ['number of hours', 'key rotate iapi_x --overlap-hours 8761'],
  ['wallet.restored', `webhook add --org ${id} --url https://a.example --events x`],
  ['pending or delivered or failed', `webhook deliveries ${id} --status lost`],
  ['number from 1 to 10000', `webhook deliveries ${id} --limit 0`],
  ['number from 1 to 10000', `reservation callbacks ${id} --limit 0`],
  ['en-us or ar-eg', `lead import a.csv --org ${id} --language ar`],
  ['Give at least one option to change', `org update ${id}`],
  ['Give at least one option to change', `webhook update ${id}`],
  ['Say what the key is for', `key issue --org ${id} --name A`],
  ['Give at least one of --for', 'key update x'],
  ...[`key issue --org ${id} --name A`, 'key update x'].flatMap((call) => [
    ['collector or crm', `${call} --for partner`] as const,
    ['Give --for or --operations', `${call} --for crm --operations leads.read`] as const,
    ['list of leads.write', `${call} --operations leads.read,leads.eat`] as const,
    ['list of leads.write', `${call} --operations`, ''] as const,
    ...['example.com', '10.0.0.0/33', ''].map(
      (from) => ['addresses and ranges', `${call} --for crm --addresses`, from] as const,
    ),
  ]),
  ['number of days', `key issue --org ${id} --name A --for crm --expires 90days`],
  ['ISO 3166 alpha-2', `org update ${id} --phone-country XX`],
  ['--lead) or the person (--phone, --email)', `lead erase --org ${id}`],
  ['--lead) or the person', `lead erase --org ${id} --lead a --phone 01001234567`],
  ['is not a phone number', `lead erase --org ${id} --phone 12`],
  ['is not an email address', `lead erase --org ${id} --email mona`],
];

describe('the help', () => {
  it.each(commands)('of %s contains description and example without a database', async (call) => {
    const { code, stdout, stderr } = await runCli([...call.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: npm run cli -- ${call}.*\\n\\n[a-z].+\\n`));
    expect(stdout).toMatch(new RegExp(`Example:\n  npm run (--silent )?cli -- ${call}`));
    // Output into a file must not have lines of npm.
    expect(stdout).not.toMatch(/npm run cli .* > /);
    expect(stdout).toContain('--json');
  });

  it.each(['', ...groups.map((group) => group.name())])(
    'is printed for the group "%s" without a subcommand',
    async (group) => {
      const { code, stdout } = await runCli(group === '' ? [] : [group]);
      expect(code).toBe(0);
      for (const part of [
        `Usage: npm run cli -- ${group}`,
        'Commands:',
        'Example:\n  npm run cli -- ',
      ])
        expect(stdout).toContain(part);
    },
  );
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
  it.each(wrongUsages)(
    'exits with 2 and a line with "%s" for %s, before the database is asked',
    async (words, command, ...more) => {
      const { code, stdout, stderr } = await runCli([...command.split(' '), ...more]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
      expect(stderr).toContain(words);
    },
  );
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
