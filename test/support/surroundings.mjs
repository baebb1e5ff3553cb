// What the test files of a run share, in a process of its own: Jest, which would load and transform
// each module once more, is kept away from it. It ends with the process that started it.
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startMongod } from '../../dist/database/embedded/embedded-mongod.js';

const folder = await mkdtemp(join(await quickFolder(), 'api-test-'));
const parameters = ['enableTestCommands=1', 'diagnosticDataCollectionEnabled=false'];
const launched = Promise.withResolvers();
const starting = startMongod(join(folder, 'data'), {
  isJournaled: false,
  onLaunched: launched.resolve,
  args: [
    '--quiet',
    '--slowms=60000',
    `--unixSocketPrefix=${folder}`,
    ...parameters.flatMap((parameter) => ['--setParameter', parameter]),
  ],
});
await Promise.race([launched.promise, starting]);
// Loaded while the database starts.
const { getConnectionToken } = await import('@nestjs/mongoose');
const { readEnvironment } = await import('../../dist/configuration/environment.js');
const { createLogger } = await import('../../dist/http/server/logger.js');
const { createService, listen } = await import('../../dist/service.js');
const { monitored, watchTenantCommands } = await import('./tenant-commands.ts');
const { endShell, runInShell } = await import('./shell.mjs');
const mongod = await starting;
// Over a socket file the server and its clients need a sixth less processor time than over TCP.
const socket = encodeURIComponent(join(folder, `mongodb-${mongod.port}.sock`));
const mongodUri = `mongodb://${socket}/?directConnection=true`;

const log = join(folder, 'service.log');
const logFile = openSync(log, 'a');
const databaseUri = mongodUri.replace('/?', '/shared?');
const variables = {
  NODE_ENV: 'test',
  PORT: '0',
  HOST: '127.0.0.1',
  ROLE: 'api',
  MONGODB_URI: databaseUri,
  // Correct is what counts, on a busy machine too; deadlines have tests of their own.
  DATABASE_DEADLINE_MS: '30000',
  // All files share the process, and many are quicker than one client may be.
  RATE_LIMIT_RPS: '0',
  AUTH_FAILURE_RPS: '0',
};
const environment = readEnvironment(variables);
const logger = createLogger(environment, { write: (line) => writeSync(logFile, line) });
const options = { environment, databaseUri: `${databaseUri}&${monitored}`, logger };
// They are started when the first file asks for them: what all share, and a second process for those that need two.
const sharing = [];
const processes = [];
const addresses = {
  '/shared': async () => (await (sharing[0] ??= startShared())).url,
  '/second': async () => (await (processes[0] ??= startInstance())).address,
};
// Clients end the connections: one that sends on what this end has just closed for being idle gets an error.
const neverIdle = { keepAliveTimeout: 0 };
const instances = createServer(neverIdle, (request, response) => {
  void addresses[request.url]().then(
    (address) => response.end(address),
    (error) => response.writeHead(500).end(String(error)),
  );
});
const shell = createServer(neverIdle, (request, response) => {
  void json(request)
    .then(runInShell)
    .catch(failedCommand)
    .then((outcome) => response.end(JSON.stringify(outcome)));
});
const servers = [instances, shell];
for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');

process.send({
  TEST_MONGODB_URI: mongodUri,
  TEST_DATABASE_URI: databaseUri,
  TEST_SERVICE_LOG: log,
  TEST_INSTANCES: `http://127.0.0.1:${instances.address().port}`,
  TEST_SHELL: `http://127.0.0.1:${shell.address().port}`,
});
await once(process, 'disconnect');
for (const server of servers) server.close().closeAllConnections();
endShell();
for (const { value } of await Promise.allSettled(processes)) value?.child.kill('SIGKILL');
for (const { value } of await Promise.allSettled(sharing)) await value?.app.close();
await mongod.stop();
await rm(folder, { recursive: true, force: true });

/** The service that all files share; they load their own modules while it starts. */
async function startShared() {
  const service = await createService(options);
  watchTenantCommands(service.app.get(getConnectionToken()));
  return { app: service.app, url: await listen(service, options) };
}

/** A folder in memory if there is room in one: what tests store need not reach a disk. */
async function quickFolder() {
  const [inMemory, room] = ['/dev/shm', 4 * 2 ** 30];
  try {
    await access(inMemory, constants.W_OK);
    const { bavail, bsize } = await statfs(inMemory);
    return bavail * bsize > room ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}

function failedCommand(error) {
  return { code: -1, stdout: '', stderr: String(error) };
}

/** The compiled service in a process of its own, on the same database, once it listens. */
async function startInstance() {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/main.js')], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, LOG_LEVEL: 'silent', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const [chunk] of on(child.stdout, 'data', { close: ['end'] })) {
    output += chunk;
    const address = /Listening on\s+(http:\S+)\/external/.exec(output)?.[1];
    if (address !== undefined) return { child, address };
  }
  throw new Error(`The second instance ended: ${output}`);
}
