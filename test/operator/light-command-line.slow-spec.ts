import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { demo } from '../../src/development/demo/demo-command.js';
import { createProgram } from '../../src/operator/cli/command-line/program.js';
import { rounds } from '../support/rounds.js';
import { type Outcome, runNode } from './command-line.js';

/** The compiled program, with a file for each module. */
const compiled = 'dist';
/** The only packages that help and wrong usage may load; these find their own by their real paths. */
const lightPackages = ['cli-progress', 'cli-table3', 'commander'];
const atOnce = 4;

const id = '665f1c2ab7e4d2f0a1b2c3d4';
const program = createProgram({ demo });
const groups = program.commands.filter(({ commands }) => commands.length > 0);

/** A part of the message, the words of a command and, apart, arguments with spaces or without any text. */
const wrongUsages: readonly (readonly [part: string, command: string, ...string[]])[] = [
  ["unknown command 'invoice'", 'invoice'],
  ...groups.map((group) => ["unknown command 'x'", `${group.name()} x`] as const),
  ["unknown option '--colour'", 'org list --colour'],
  ["unknown option '--colour'", 'demo --colour'],
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
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'light-command-line-'));
  await cp(compiled, join(folder, compiled), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await mkdir(join(folder, 'node_modules'));
  for (const name of lightPackages) await addPackage(name);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it('every group and command prints its help without heavy packages', async () => {
  const commands = namesOf(program).map((names) => [...names, '--help']);
  const calls = [
    [],
    ...groups.map((group) => [group.name()]),
    ...commands.filter((_, index) => index % rounds(4, 1) === 0),
  ];
  const outcomes = await runAll(calls);
  expect(
    outcomes.map(({ code, stdout, stderr }) => [code, stdout.split('\n', 1)[0], stderr]),
  ).toEqual(
    calls.map((names) => {
      const words = names.filter((name) => name !== '--help').join(' ');
      return [0, expect.stringContaining(`Usage: npm run cli -- ${words}`), ''];
    }),
  );
});

it('wrong usage exits with 2 and one line without heavy packages', async () => {
  const calls = wrongUsages.map(([, command, ...rest]) => [...command.split(' '), ...rest]);
  const outcomes = await runAll(calls);
  expect(outcomes).toEqual(wrongUsages.map(([words]) => refusedWith(words)));
});

it('the framework is loaded when a command uses the database', async () => {
  const { code, stderr } = await run(['org', 'list']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Cannot find package '.+' imported from .+\n$/),
  });
});

it('an unknown country is rejected with only the phone number package installed', async () => {
  await addPackage('libphonenumber-js');
  const calls = [
    ['org', 'update', id, '--phone-country', 'XX'],
    ['org', 'create', '--name', 'Nile Homes', '--phone-country', 'XX'],
  ];
  const refused = refusedWith(
    "'--phone-country <code>' argument 'XX' is invalid. It must be an ISO",
  );
  expect(await runAll(calls)).toEqual([refused, refused]);
});

/** The words that call a command, and each command below it. */
function namesOf(command: Command, words: readonly string[] = []): (readonly string[])[] {
  return [words, ...command.commands.flatMap((one) => namesOf(one, [...words, one.name()]))];
}

function addPackage(name: string): Promise<void> {
  const path = join('node_modules', name);
  return symlink(join(process.cwd(), path), join(folder, path));
}

/** An outcome of wrong usage: the words are in the only line. */
function refusedWith(words: string) {
  const escaped = words.replaceAll(/[.*()?]/g, String.raw`\$&`);
  return { code: 2, stdout: '', stderr: expect.stringMatching(`^error: .*${escaped}.*\n$`) };
}

function run(args: readonly string[]): Promise<Outcome> {
  return runNode([join(folder, compiled, 'cli.js'), ...args]);
}

async function runAll(calls: readonly (readonly string[])[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let done = 0; done < calls.length; done += atOnce) {
    outcomes.push(...(await Promise.all(calls.slice(done, done + atOnce).map(run))));
  }
  return outcomes;
}
