import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Outcome, runNode } from './command-line.js';

/** The compiled program, with a file for each module. */
const compiled = 'dist';
/** The only packages that help and wrong usage may load; these find their own by their real paths. */
const lightPackages = ['cli-progress', 'cli-table3', 'commander'];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'light-command-line-'));
  await cp(compiled, join(folder, compiled), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await mkdir(join(folder, 'node_modules'));
  for (const name of lightPackages) await addPackage(name);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([[], ['webhook'], ['webhook', 'replay', '--help'], ['demo', '--help']])(
  'prints the help of %j without heavy packages',
  async (...words) => {
    const { code, stdout, stderr } = await run(words);
    expect([code, stderr]).toEqual([0, '']);
    const names = words.filter((word) => word !== '--help').join(' ');
    expect(stdout).toContain(`Usage: npm run cli -- ${names}`);
  },
);

it.each([
  ["unknown command 'invoice'", 'invoice'],
  ["unknown option '--colour'", 'demo --colour'],
  ["required option '--name <name>' not specified", 'org create'],
  ['24 hexadecimal digits', 'webhook test mine'],
  ['--burst requires --rps', 'key limit iapi_x --burst 5'],
])('reports %s without heavy packages', async (words, command) => {
  expect(await run(command.split(' '))).toEqual(refusedWith(words));
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
  const call = ['org', 'create', '--name', 'Nile Homes', '--phone-country', 'XX'];
  expect(await run(call)).toEqual(
    refusedWith("'--phone-country <code>' argument 'XX' is invalid. It must be an ISO"),
  );
});

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
