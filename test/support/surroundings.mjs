// What the test files of a run share, in a process of its own: Jest, which would load and transform
// each module once more, is kept away from it. It ends with the process that started it.
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../dist/configuration/environment.js';
import { startMongod } from '../../dist/database/embedded/embedded-mongod.js';
import { createLogger } from '../../dist/http/server/logger.js';
import { createService, listen } from '../../dist/service.js';

const folder = await mkdtemp(join(tmpdir(), 'integration-api-test-'));
const mongod = await startMongod(join(folder, 'data'), {
  args: ['enableTestCommands=1', 'diagnosticDataCollectionEnabled=false'].flatMap((parameter) => [
    '--setParameter',
    parameter,
  ]),
});

const log = join(folder, 'service.log');
const logFile = openSync(log, 'a');
const databaseUri = mongod.uri.replace('/?', '/shared?');
const environment = readEnvironment({
  NODE_ENV: 'test',
  PORT: '0',
  HOST: '127.0.0.1',
  ROLE: 'api',
  MONGODB_URI: databaseUri,
  // Correct is what counts, on a busy machine too; deadlines have tests of their own.
  DATABASE_DEADLINE_MS: '30000',
});
const logger = createLogger(environment, { write: (line) => writeSync(logFile, line) });
const options = { environment, databaseUri, logger };
const service = await createService(options);
const url = await listen(service, options);

process.send({
  TEST_MONGODB_URI: mongod.uri,
  TEST_DATABASE_URI: databaseUri,
  TEST_SERVICE_URL: url,
  TEST_SERVICE_LOG: log,
});
await once(process, 'disconnect');
await service.app.close();
await mongod.stop();
await rm(folder, { recursive: true, force: true });
