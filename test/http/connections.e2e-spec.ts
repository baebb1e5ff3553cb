import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSocket, sendRaw } from '../support/raw-http.js';
import { basePath } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ MAX_CONNECTIONS: '3' });
});
afterAll(() => service.stop());

const health = () => sendRaw(service.url, `GET /${basePath}/healthz HTTP/1.1`, ['Host: x']);

describe('MAX_CONNECTIONS', () => {
  it('bounds them: a further one is closed at once, and logged', async () => {
    const sockets = [1, 2, 3].map(() => openSocket(service.url));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const further = openSocket(service.url).on('error', () => undefined);
    await once(further.resume(), 'close');
    expect(further.bytesRead).toBe(0);
    expect(sockets.map(({ readyState }) => readyState)).toEqual(['open', 'open', 'open']);
    expect(service.logged()).toContain('Connections beyond MAX_CONNECTIONS were closed');
    for (const socket of sockets) {
      socket.end();
      await once(socket.resume(), 'close');
    }
    expect((await health()).status).toBe(200);
  });
});
