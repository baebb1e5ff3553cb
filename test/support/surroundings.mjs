// What the test files of a run share, in a process of its own: Jest, which would load and transform
// each module once more, is kept away from it. It ends with the process that started it.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '../../dist/database/embedded-mongod.js';

const folder = await mkdtemp(join(tmpdir(), 'integration-api-test-'));
const mongod = await startMongod(folder, { args: ['--setParameter', 'enableTestCommands=1'] });
process.send({ TEST_MONGODB_URI: mongod.uri });

await once(process, 'disconnect');
await mongod.stop();
await rm(folder, { recursive: true, force: true });
