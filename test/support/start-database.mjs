// Jest loads global set-up outside its own module system, so the compiled module is used.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '../../dist/database/embedded/embedded-mongod.js';

/** Starts one replica set for the whole run; every test file takes a database of its own in it. */
export default async function startDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'integration-api-test-'));
  globalThis.testMongod = await startMongod(folder, {
    args: ['--setParameter', 'enableTestCommands=1'],
  });
  process.env.TEST_MONGODB_URI = globalThis.testMongod.uri;
}
