import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addKey, addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw-http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath, sharedService } from '../support/shared-service.js';

const shared = sharedService();
let tenant: Tenant;
let service: ServiceProcess;
let log = '';
const timeoutMs = 500;

beforeAll(async () => {
  tenant = await addTenant(shared.db);
  const { organizationId } = tenant;
  const compoundId = new ObjectId();
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const name = { 'en-us': 'n'.repeat(200) };
  await shared.db.collection('units').insertMany(
    Array.from({ length: 10_000 }, (_, index) => {
      const unit = { organizationId, compoundId, isDeleted: false, name, ...times };
      return { ...unit, slug: `unread-${index}`, unitId: `unread-${index}` };
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

it('a connection that takes no bytes of its response is closed', async () => {
  const socket = openSocket(service.url);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(request('/units/export/all'));
  await eventually(() => expect(log).toContain('"aborted":true'));
  socket.destroy();
});

it('a connection whose request waits longer than that is not', async () => {
  const permissions = { allowExternal: true, readEvents: true };
  const key = await addKey(shared.db, tenant.organizationId, { permissions });
  const url = `${service.url}/${basePath}/events?after=0&wait=2`;
  const startedAt = performance.now();
  const response = await fetch(url, { headers: { 'api-key': key } });
  expect(response.status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(2 * timeoutMs);
});
