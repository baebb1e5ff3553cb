// Database and service shared by all test files of a run, in a separate process that Jest does not transform. It
// exits with its parent.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { access, constants, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startMongod } from '../../dist/development/embedded/embedded-mongod.js';
import { firstMessage } from './first-message.mjs';
import { endShell, runInShell } from './shell.mjs';

// Ctrl-C and the end of a terminal reach the whole process group. This process ends when Jest has ended, and takes
// its folder with it.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
const disconnected = once(process, 'disconnect');
const folder = await mkdtemp(join(await quickFolder(), 'api-test-'));
const mongodPid = join(folder, 'mongod.pid');
const parameters = [
  'enableTestCommands=1',
  'diagnosticDataCollectionEnabled=false',
  // Records of fixed dates in the past must not disappear in the middle of a test.
  'ttlMonitorEnabled=false',
];
const shared = loadInstance();
const mongod = await startMongod(join(folder, 'data'), {
  isJournaled: false,
  args: [
    '--quiet',
    '--slowms=60000',
    `--unixSocketPrefix=${folder}`,
    `--pidfilepath=${mongodPid}`,
    ...parameters.flatMap((parameter) => ['--setParameter', parameter]),
  ],
});
// Over a socket file the server and its clients need a sixth less processor time than over TCP.
const socket = encodeURIComponent(join(folder, `mongodb-${mongod.port}.sock`));
const mongodUri = `mongodb://${socket}/?directConnection=true`;

const log = join(folder, 'service.log');
writeFileSync(log, '');
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
  // Without a cache, so that a test's own writes are in the next response; cache tests start their own services.
  RESPONSE_CACHE_BYTES: '0',
};
const starters = {
  '/shared': () => start(shared),
  '/second': () => start((second = loadInstance()), { LOG_LEVEL: 'silent' }),
};
let second;
/** Addresses of the instances that a file has asked for. */
const addresses = {};
// Clients end the connections: one that sends on what this end has just closed for being idle gets an error.
const neverIdle = { keepAliveTimeout: 0 };
const instances = createServer(neverIdle, (request, response) => {
  void (addresses[request.url] ??= starters[request.url]()).then(
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

process.send?.({
  TEST_MONGODB_URI: mongodUri,
  TEST_DATABASE_URI: databaseUri,
  TEST_SERVICE_LOG: log,
  TEST_INSTANCES: `http://127.0.0.1:${instances.address().port}`,
  TEST_SHELL: `http://127.0.0.1:${shell.address().port}`,
});
await disconnected;
for (const server of servers) server.close().closeAllConnections();
endShell();
// Their data is deleted with the folder; a clean shutdown would take a second longer.
for (const child of [shared, second]) child?.kill('SIGKILL');
process.kill(Number(await readFile(mongodPid, 'utf8')), 'SIGKILL');
// The killed server may write one more file meanwhile.
await rm(folder, { recursive: true, force: true, maxRetries: 10 });

function loadInstance() {
  return fork(join(import.meta.dirname, 'shared-instance.mjs'));
}

/** Gives the address of an instance that is loaded, once it listens. */
async function start(instance, ownVariables = {}) {
  instance.send({ variables: { ...variables, ...ownVariables }, log });
  return firstMessage(instance);
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
