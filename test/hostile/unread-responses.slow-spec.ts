import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addCompound, addKey, addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw-http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath, sharedService } from '../support/shared-service.js';

const shared = sharedService();
let tenant: Tenant;
let service: ServiceProcess;
let log = '';
const timeoutMs = 500;
const slug = 'unread';

beforeAll(async () => {
  tenant = await addTenant(shared.db);
  const { organizationId } = tenant;
  const compoundId = await addCompound(shared.db, organizationId, { 'en-us': slug }, { slug });
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const name = { 'en-us': 'n'.repeat(3_700) };
  await shared.db.collection('units').insertMany(
    Array.from({ length: 3_000 }, (_, index) => {
      // A response with a third of them is sent as a whole.
      const unit = { organizationId, isDeleted: false, name, ...times };
      const ids = { slug: `unread-${index}`, unitId: `unread-${index}` };
      return { ...unit, ...ids, compoundId: index % 3 === 0 ? compoundId : new ObjectId() };
    }),
  );
  service = await startProcess({
    MONGODB_URI: shared.databaseUri,
    ROLE: 'api',
    LOG_LEVEL: 'info',
    WRITE_TIMEOUT_MS: String(timeoutMs),
  });
  service.process.stdout.on('data', (chunk) => (log += String(chunk)));
});
afterAll(() => {
  service.process.kill('SIGKILL');
});

const request = (path: string) =>
  `GET /${basePath}${path} HTTP/1.1\r\nHost: x\r\napi-key: ${tenant.key}\r\n\r\n`;

it('closes a connection whose client reads no bytes of the response', async () => {
  const socket = openSocket(service.url);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(request('/units/export/all'));
  await eventually(() => expect(log).toContain('"aborted":true'));
  socket.destroy();
});

it('keeps a connection whose request takes longer', async () => {
  const permissions = { allowExternal: true, readEvents: true };
  const key = await addKey(shared.db, tenant.organizationId, { permissions });
  const url = `${service.url}/${basePath}/events?after=0&wait=2`;
  const startedAt = performance.now();
  const response = await fetch(url, { headers: { 'api-key': key } });
  expect(response.status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(2 * timeoutMs);
});

it('returns 429 when more than 64 MiB of responses for one key are unread', async () => {
  const patient = await startProcess({
    MONGODB_URI: shared.databaseUri,
    ROLE: 'api',
    // On a busy machine the first read takes longer than a request may.
    DATABASE_DEADLINE_MS: '30000',
  });
  const other = await addTenant(shared.db);
  const units = `/compounds/${slug}/units`;
  const read = (key: string, path: string) =>
    fetch(`${patient.url}/${basePath}${path}`, { headers: { 'api-key': key } });
  const before = await memoryOf(patient);
  const sockets = Array.from({ length: 100 }, () =>
    openSocket(patient.url).on('error', () => undefined),
  );
  const heads = await Promise.all(
    sockets.map(async (socket) => {
      socket.write(request(units));
      const [head] = await once(socket, 'data');
      socket.pause();
      return String(head);
    }),
  );
  const sent = heads.filter((head) => head.startsWith('HTTP/1.1 200'));
  const refused = heads.filter((head) => head.startsWith('HTTP/1.1 429'));
  expect([sent.length > 0, refused.length > 0, sent.length + refused.length]).toEqual([
    true,
    true,
    100,
  ]);
  expect(refused[0]).toMatch(/^retry-after: 1\r$/im);
  expect(refused[0]).toMatch(/^x-error-code: request\.rate_limited\r$/im);
  expect((await read(other.key, '/leads/none')).status).toBe(404);
  process.stdout.write(
    `  ${before} MiB before, ${await memoryOf(patient)} with ${sent.length} responses\n`,
  );
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect((await read(tenant.key, units)).status).toBe(200));
  patient.process.kill('SIGTERM');
  expect(await patient.exited).toBe(0);
});

/** Its resident memory in MiB. */
async function memoryOf({ process: { pid } }: ServiceProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
}
