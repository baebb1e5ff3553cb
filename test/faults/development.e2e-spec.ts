import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { basePath } from '../support/shared-service.js';

/** What a start needs of the repository; the tests beside this one rely on its own build. */
const needed = ['src', 'scripts', 'package.json', 'nest-cli.json', '.swcrc', 'tsconfig.json'];
const service = 'src/health/health.dto.ts';

let folder: string;
let stop: () => Promise<unknown>;
let output = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'integration-api-dev-'));
  for (const name of [...needed, 'tsconfig.build.json']) {
    await cp(name, join(folder, name), { recursive: true });
  }
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const { PATH, HOME } = process.env;
  const child = spawn('sh', ['-c', scripts['start:dev'] ?? ''], {
    cwd: folder,
    env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (output += text.toString()));
  }
  const exited = once(child, 'exit');
  stop = async () => {
    child.kill();
    await exited;
  };
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

/** Where the service that was started last listens, when so many were. */
async function urlOfStart(count: number): Promise<string> {
  let urls: string[] = [];
  await eventually(() => {
    urls = [...output.matchAll(/Listening on\s+(http:\/\/[\d.:]+)/g)].map(([, url = '']) => url);
    if (urls.length < count) throw new Error(output);
  });
  return urls.at(-1) ?? '';
}

const ask = async (url: string, path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/${basePath}${path}`, { headers });
  return { status: response.status, body: (await response.json()) as { version?: string } };
};

it('a saved source is served at once, over the same database, which survives an error too', async () => {
  const first = await urlOfStart(1);
  const [, key = ''] = /Demo API key\s+(\S+)/.exec(output) ?? [];
  const database = () => readFile(join(folder, '.data/mongod.json'), 'utf8');
  const databaseBefore = await database();
  expect((await ask(first, '/compounds', { 'api-key': key })).status).toBe(200);

  const source = await readFile(join(folder, service), 'utf8');
  const save = (version: string, end = '') =>
    writeFile(join(folder, service), `${source.replaceAll("'v1.0'", `'${version}'`)}${end}`);
  await save('v1.1');
  const second = await urlOfStart(2);
  expect((await ask(second, '/healthz')).body.version).toBe('v1.1');
  await expect(ask(first, '/healthz')).rejects.toThrow('fetch failed');

  // It ends while it starts, and the next one that is saved starts again.
  await save('v1.2', "\nthrow new Error('Not yet right');\n");
  await eventually(() => expect(output).toContain('Not yet right'));
  await save('v1.3');
  const third = await urlOfStart(3);
  expect((await ask(third, '/healthz')).body.version).toBe('v1.3');
  expect((await ask(third, '/compounds', { 'api-key': key })).status).toBe(200);
  expect(await database()).toBe(databaseBefore);

  await stop();
  await expect(ask(third, '/healthz')).rejects.toThrow('fetch failed');
});
