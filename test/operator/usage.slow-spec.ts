import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProgram } from '../../src/operator/cli/command-line/program.js';
import { addKey } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { runCli, runCliProcess, runCliUnread, runNode, startSession } from './command-line.js';

const id = '665f1c2ab7e4d2f0a1b2c3d4';
const groups = createProgram().commands;
const commands = groups.flatMap((group) =>
  group.commands.map((command) => `${group.name()} ${command.name()}`),
);
const missing = join(tmpdir(), 'there-is-no-such-file');

/**
 * Part of the expected message, then the command. Arguments that are empty or contain spaces are separate
 * elements.
 */
type Refused = readonly [part: string, command: string, ...string[]];

const wrongUsages: readonly Refused[] = [
  ["unknown command 'invoice'", 'invoice'],
  ["unknown command 'x'", 'webhook x'],
  ["unknown option '--evnts' (Did you mean --events?)", 'webhook add --evnts lead.*'],
  ["required option '--name <name>' not specified", 'org create'],
  ["required option '--org <id>' not specified: `org list`", 'lead history form-1'],
  ["missing required argument 'id'", 'org show'],
  ['endpoint or delivery, or --org', 'webhook deliveries'],
  ['24 hexadecimal digits', 'webhook test mine'],
  ["' ' is invalid. It must have 1 to 2,048 characters.", 'org create --name', ' '],
  ['It must have 1 to 2,048 characters.', 'key list --org', ' '],
  ['1 to 1,024 characters', `lead show --org ${id}`, ''],
  ...['https://api.example.com', 'api.example.com:443', 'api_1.example.com', '10.0.0.1'].map(
    (domain) => ['host name', `org update ${id} --api-domain ${domain}`] as const,
  ),
  ['http or https URL', `org update ${id} --logo javascript:alert(1)`],
  ['http or https URL', `webhook update ${id} --url ftp://a.example`],
  ["'EGY' is invalid. It must be an ISO 3166", `org update ${id} --phone-country EGY`],
  ['ISO 3166 alpha-2', `org update ${id} --phone-country XX`],
  ['true or false', `org update ${id} --allow-conflict-leads yes`],
  ['true or false', `org update ${id} --create-clients True`],
  ['true or false', `org update ${id} --update-clients 1`],
  ...['phone,name', 'phone,phone', ''].map(
    (fields) => ['phone, email or both', `org update ${id} --match-clients-by`, fields] as const,
  ),
  ...[
    ...['tomorrow', '2030-02-30', '90days'].map((when) => ['2030-01-31', when] as const),
    ['no time zone: add Z', '2030-02-01T10:00'] as const,
  ].map(
    ([part, when]) => [part, `key issue --org ${id} --name A --for crm --expires ${when}`] as const,
  ),
  ['number from 0', 'key limit iapi_x --rps 1.5'],
  ['number from 1', 'key limit iapi_x --burst 0'],
  ['--burst requires --rps', 'key limit iapi_x --burst 5'],
  ['--burst requires --rps', `key issue --org ${id} --name A --for crm --burst 5`],
  ['a limit (--rps) or', 'key limit iapi_x'],
  ["'--default' cannot be used with option '--rps <n>'", 'key limit iapi_x --rps 5 --default'],
  ['number of hours', 'key rotate iapi_x --overlap-hours=-1'],
  ['number of hours', 'key rotate iapi_x --overlap-hours 8761'],
  ['wallet.restored', `webhook add --org ${id} --url https://a.example --events x`],
  ['pending, delivered, failed', `webhook deliveries ${id} --status lost`],
  ['number from 1 to 10000', `webhook deliveries ${id} --limit 0`],
  ['number from 1 to 10000', `reservation callbacks ${id} --limit 0`],
  ['approved, pending_cheque_collection', `reservation list --org ${id} --status sold`],
  ['2030-01-31', 'key requests x --since yesterday'],
  ['en-us, ar-eg', `lead import a.csv --org ${id} --language ar`],
  ['Specify at least one setting to change.', `org update ${id}`],
  ['Specify at least one of --url and --events.', `webhook update ${id}`],
  ['--signed requires the operation', `key issue --org ${id} --name A --for website --signed`],
  ['Specify what the key may do', `key issue --org ${id} --name A`],
  ['Specify at least one of --for', 'key update x'],
  ...[`key issue --org ${id} --name A`, 'key update x'].flatMap((call): Refused[] => [
    ['collector, crm', `${call} --for partner`],
    ['all, public', `${call} --for crm --visibility partners`],
    [
      "'--for <purpose>' cannot be used with option '--operations <list>'",
      `${call} --for crm --operations leads.read`,
    ],
    ['list of leads.write', `${call} --operations leads.read,leads.eat`],
    ['list of leads.write', `${call} --operations`, ''],
    ['addresses and ranges', `${call} --for crm --addresses 10.0.0.0/33`],
  ]),
  ['--lead) or the person (--phone, --email)', `lead erase --org ${id}`],
  [
    "'--lead <id>' cannot be used with option '--phone <number>'",
    `lead erase --org ${id} --lead a --phone 01001234567`,
  ],
  ['is not a phone number', `lead erase --org ${id} --phone 12`],
  ['is not a valid email address', `lead erase --org ${id} --email mona`],
  ['characters that cannot be seen', `lead erase --org ${id} --email mona\u200b@example.com`],
];

/** `ORG` is replaced by the id of an existing organization. */
const failures: readonly Refused[] = [
  [
    `There is no organization with id ${id}: \`org list\` lists the organizations.`,
    `org show ${id}`,
  ],
  ['There is no organization called nile-homes', 'org show nile-homes'],
  ['There is no organization with', `key issue --org ${id} --name A --for website`],
  ['There is no organization with', `key list --org ${id}`],
  ['no key with id or prefix iapi_none: `key list --org <id>` lists', 'key revoke iapi_none'],
  ['There is more than one key with', 'key revoke shared'],
  ['The key ended is revoked and cannot be rotated', 'key rotate ended'],
  ['is in the past', 'key issue --org ORG --name A --for crm --expires 2020-01-01T00:00:00+02:00'],
  ['There is no webhook endpoint with id', `webhook show ${id}`],
  ['There is no webhook endpoint or delivery with id', `webhook deliveries ${id}`],
  ['There is no lead nobody', 'lead show nobody --org ORG'],
  ['is a placeholder or a rounded number', 'lead erase --org ORG --phone 2.01E+11'],
  ['is a placeholder or a rounded number', 'lead erase --org ORG --phone 00000000'],
  [`no reservation with id ${id}: search for it in the console.`, `reservation show ${id}`],
  ['There is no reservation with id unknown: search', 'reservation show unknown'],
  ...[
    ['must start with https:// (WEBHOOKS_ALLOW_HTTP allows http://)', 'http://example.com/'],
    ['is not allowed: 169.254.169.254 is not a public address', 'https://2852039166/'],
    ['must not contain a user name or password', 'https://user:word@example.com/'],
  ].map(([part = '', url]) => [part, `webhook add --org ORG --events * --url ${url}`] as const),
  ...['catalog import', 'lead import', 'reservation reconcile'].flatMap((call): Refused[] => [
    [`The file ${missing} cannot be read: no such file`, `${call} ${missing} --org ORG`],
    [`The file ${tmpdir()} cannot be read: it is a folder.`, `${call} ${tmpdir()} --org ORG`],
  ]),
  [`The file ${missing} cannot be read: no such`, `db reapply-erasures --ledger ${missing}`],
];

describe('the help', () => {
  it.each(commands)('of %s contains description and example without a database', async (call) => {
    const { code, stdout, stderr } = await runCli([...call.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: npm run cli -- ${call}.*\\n\\n[a-z].+\\n`));
    expect(stdout).toMatch(new RegExp(`Example:\n  npm run (--silent )?cli -- ${call}`));
    // Output that is redirected to a file must not contain lines of npm.
    expect(stdout).not.toMatch(/npm run cli .* > /);
    expect(stdout).toContain('--json');
  });

  it.each(['', ...groups.map((group) => group.name())])(
    'is printed for the group "%s" without a subcommand',
    async (group) => {
      const { code, stdout } = await runCli(group === '' ? [] : [group]);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`Usage: npm run cli -- ${group}[^]+Commands:[^]+Example:\n  npm run cli -- `),
      );
    },
  );
});

describe('a command', () => {
  it('exits normally when its reader closes the pipe early', async () => {
    expect(await runCliUnread(['--help'])).toEqual({ code: 0, stderr: '' });
  });

  it('exits with 1 and one line when its output cannot be written', async () => {
    expect(await runCliUnread(['--help'], {}, '/dev/full')).toEqual({
      code: 1,
      stderr: 'The output could not be written: ENOSPC: no space left on device, write\n',
    });
  });
});

it.each(wrongUsages)(
  'wrong usage exits with 2 and the line "%s" before the database is used: %s',
  async (part, command, ...more) => {
    const { code, stdout, stderr } = await runCli([...command.split(' '), ...more]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toContain(part);
  },
);

describe('a failed command', () => {
  const service = sharedService();
  const cli = startSession(() => ({ MONGODB_URI: service.databaseUri }));
  let organization: string;
  beforeAll(async () => {
    const tenant = await service.addTenant();
    organization = tenant.organizationId.toHexString();
    for (const prefix of ['shared', 'shared', 'ended']) {
      await tenant.add(addKey, { prefix, revokedAt: prefix === 'ended' ? new Date(0) : null });
    }
  });

  it.each(failures)('exits with 1 and the line "%s": %s', async (part, call) => {
    const outcome = await cli.run(call.replace('ORG', organization), '--json');
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^[^\n]+\n$/);
    expect(outcome.stderr).toContain(part);
  });
});

it('a command is refused when npm consumed one of its options', async () => {
  const variables = { npm_lifecycle_event: 'cli', npm_config_dry_run: 'true' };
  const { code, stderr } = await runCliProcess(['lead', 'erase', 'form-1', id], variables);
  expect([code, stderr]).toEqual([
    2,
    'error: npm kept the option --dry-run for itself: put -- before the command, ' +
      'as in `npm run cli -- lead erase --dry-run`.\n',
  ]);
  const accepted = await runCliProcess(['lead', 'erase', '--dry-run'], variables);
  expect(accepted.stderr).toContain("required option '--org <id>' not specified");
});

it('help and wrong usage load no framework and no driver', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'light-command-line-'));
  const addPackage = (name: string) =>
    symlink(join(process.cwd(), 'node_modules', name), join(folder, 'node_modules', name));
  const run = (call: string) => runNode([join(folder, 'dist/cli.js'), ...call.split(' ')]);
  const refused = (message: string) => ({ code: 2, stderr: expect.stringContaining(message) });
  await cp('dist', join(folder, 'dist'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['@commander-js', 'cli-progress', 'commander']) await addPackage(name);
  expect(await run('webhook')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('webhook replay --help')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('invoice')).toMatchObject(refused('unknown command'));
  expect(await run('key limit x --burst 5')).toMatchObject(refused('--burst requires --rps'));
  const stderr = expect.stringMatching(/^Cannot find package '.+' imported from .+\n$/);
  expect(await run('org list')).toMatchObject({ code: 1, stderr });
  await addPackage('libphonenumber-js');
  const country = 'org create --name Nile --phone-country XX';
  expect(await run(country)).toMatchObject(refused("argument 'XX' is invalid. It must be an ISO"));
  await rm(folder, { recursive: true });
});

it('the command line prints the version with --version', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
