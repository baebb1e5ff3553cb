import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addCompound, conventions, mayReadEvents } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath, sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const shared = sharedService();
let tenant: TenantApi;
let service: ServiceProcess;
let log = '';
const timeoutMs = 500;
const slug = 'unread';

beforeAll(async () => {
  tenant = await shared.addTenant({ key: mayReadEvents });
  const compoundId = await tenant.add(addCompound, { 'en-us': slug }, { slug });
  // A third of the units exceeds the send buffer of a connection, which may grow to 4 MiB.
  const name = { 'en-us': 'n'.repeat(12_000) };
  await shared.db.collection('units').insertMany(
    Array.from({ length: 3_000 }, (_, index) => ({
      ...conventions(tenant.organizationId),
      name,
      slug: `unread-${index}`,
      unitId: `unread-${index}`,
      // The service sends a third of the units in one piece.
      compoundId: index % 3 === 0 ? compoundId : new ObjectId(),
    })),
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

const request = (path: string) => rawRequest(`GET /${basePath}${path}`, [`api-key: ${tenant.key}`]);
const read = ({ url }: ServiceProcess, key: string, path: string) =>
  fetch(`${url}/${basePath}${path}`, { headers: { 'api-key': key } });

it('the service closes a connection whose client reads no bytes of the response', async () => {
  const socket = openSocket(service.url);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(request('/units/export/all'));
  await eventually(() => expect(log).toContain('"aborted":true'));
  socket.destroy();
});

it('the service keeps a connection whose request takes longer', async () => {
  const startedAt = performance.now();
  expect((await read(service, tenant.key, '/events?after=0&wait=2')).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(2 * timeoutMs);
});

it('unread responses count as running requests: beyond MAX_CONCURRENT_REQUESTS a key gets 429', async () => {
  const limited = await startProcess({
    MONGODB_URI: shared.databaseUri,
    ROLE: 'api',
    MAX_CONCURRENT_REQUESTS: '5',
    // On a busy machine the first read takes longer than the default deadline.
    DATABASE_DEADLINE_MS: '30000',
  });
  const other = await shared.addTenant();
  const units = `/compounds/${slug}/units`;
  const sockets = Array.from({ length: 20 }, () =>
    openSocket(limited.url).on('error', () => undefined),
  );
  const heads = await Promise.all(
    sockets.map(async (socket) => {
      socket.write(request(units));
      socket.once('data', () => socket.pause());
      const [head] = (await once(socket, 'data')) as [Buffer];
      return head.toString().split('\r\n\r\n', 1)[0] ?? '';
    }),
  );
  const refused = heads.filter((head) => head.startsWith('HTTP/1.1 429'));
  expect(heads.filter((head) => head.startsWith('HTTP/1.1 200'))).toHaveLength(5);
  expect(refused).toHaveLength(15);
  expect(refused[0]).toMatch(/^retry-after: 1\r$/im);
  expect(refused[0]).toMatch(/^x-error-code: request\.rate_limited\r$/im);
  expect((await read(limited, other.key, '/leads/none')).status).toBe(404);
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect((await read(limited, tenant.key, units)).status).toBe(200));
  limited.process.kill('SIGTERM');
  expect(await limited.exited).toBe(0);
});
