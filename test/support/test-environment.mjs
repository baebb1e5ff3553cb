// This process owns the database and the services that all test files of a run share. Jest does not transform it, and
// it exits with its parent.
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

// Ctrl-C and a closed terminal signal the whole process group. This process must outlive Jest to remove its folder.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
const disconnected = once(process, 'disconnect');
const folder = await mkdtemp(join(await memoryFolder(), 'api-test-'));
const mongodPid = join(folder, 'mongod.pid');
const parameters = [
  'enableTestCommands=1',
  'diagnosticDataCollectionEnabled=false',
  // The server must not remove records with past dates in the middle of a test.
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
// Over a socket file, the server and its clients need a sixth less CPU time than over TCP.
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
  // A busy machine must not cause 503s; deadlines have their own tests.
  DATABASE_DEADLINE_MS: '30000',
  // All test files share this service, and many send faster than one client may.
  RATE_LIMIT_RPS: '0',
  AUTH_FAILURE_RPS: '0',
  // A test must see its own writes in the next response; cache tests start their own services.
  RESPONSE_CACHE_BYTES: '0',
};
const starters = {
  '/shared': () => start(shared),
  '/second': () => start((second = loadInstance()), { LOG_LEVEL: 'silent' }),
};
let second;
/** Instances start when a test file first requests their address. */
const addresses = {};
// Never close idle connections: a client could send on one that was just closed and get an error.
const keepOpen = { keepAliveTimeout: 0 };
const instances = createServer(keepOpen, (request, response) => {
  void (addresses[request.url] ??= starters[request.url]()).then(
    (address) => response.end(address),
    (error) => response.writeHead(500).end(String(error)),
  );
});
const shell = createServer(keepOpen, (request, response) => {
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
// A clean shutdown would take a second longer, and the data is deleted with the folder anyway.
for (const child of [shared, second]) child?.kill('SIGKILL');
process.kill(Number(await readFile(mongodPid, 'utf8')), 'SIGKILL');
// The killed server may still write one more file.
await rm(folder, { recursive: true, force: true, maxRetries: 10 });

function loadInstance() {
  return fork(join(import.meta.dirname, 'shared-instance.mjs'));
}

/** Lets a loaded instance listen, and returns its address. */
async function start(instance, ownVariables = {}) {
  instance.send({ variables: { ...variables, ...ownVariables }, log });
  return firstMessage(instance);
}

/** Returns a folder in memory if there is room, because it is faster than a disk. */
async function memoryFolder() {
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
