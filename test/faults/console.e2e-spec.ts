import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { startConsole, type TestConsole } from '../console/console-client.js';
import { addTenant } from '../support/builders.js';
import { useFaultDatabase } from './support/fault-database.js';

const deadlineMs = 1_600;
/** Tolerance for a busy machine, milliseconds. */
const marginMs = 2_000;
/** Commands of pages, and the ping. */
const failCommands = ['find', 'aggregate', 'ping', 'hello'];

let service: TestConsole;

// Before the database stops.
afterAll(() => service.stop());

const database = useFaultDatabase();

beforeAll(async () => {
  service = await startConsole({ DATABASE_DEADLINE_MS: String(deadlineMs) }, database.uri);
  await addTenant(database.db);
});
afterEach(() => database.pass());

async function timed(path: string) {
  const begin = performance.now();
  const page = await service.get(path);
  return { ...page, ms: performance.now() - begin };
}

it('console pages return 503 within the deadline while the database hangs', async () => {
  const id = new ObjectId().toHexString();
  expect(await service.get('')).toMatchObject({ status: 200 });
  await database.fail({ failCommands, blockConnection: true, blockTimeMS: 6_000 });
  const overview = await timed('');
  expect(overview).toMatchObject({ status: 503 });
  expect(overview.html).toContain('The database has no primary');
  expect(overview.html).toContain('Not everything could be read');
  expect(overview.html).not.toContain('class="good">Nothing');
  const others = await Promise.all([timed('/partners'), timed(`/webhooks/${id}`)]);
  for (const page of others) {
    expect(page).toMatchObject({ status: 503 });
    expect(page.html).toMatch(/\d+ of \d+ connections of this process are in use/);
  }
  for (const { ms } of [overview, ...others]) expect(ms).toBeLessThan(deadlineMs + marginMs);
});
