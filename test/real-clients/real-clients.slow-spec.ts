import { once } from 'node:events';
import { Agent, type ClientRequest as Sent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { addTenant, type Tenant } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw-http.js';
import { rounds } from '../support/rounds.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { type ClientRequest, clients, type Mode } from './clients.js';

/** A busy machine may be slow; deadlines have their own tests. */
const variables = {
  MONGODB_URI: randomDatabaseUri(),
  ROLE: 'api',
  DATABASE_DEADLINE_MS: '30000',
};
const database = new MongoClient(variables.MONGODB_URI);
/** A reset while the client still writes would be a race, so a single request proves little. */
const repetitions = rounds(5, 50);

let service: ServiceProcess;
let tenant: Tenant;

beforeAll(async () => {
  service = await startProcess(variables);
  tenant = await addTenant(database.db());
});
afterAll(async () => {
  await database.db().dropDatabase();
  await database.close();
});

const get = () => ({ key: tenant.key, bytes: 0 });
const post = (bytes: number) => ({ key: tenant.key, bytes });
const postWithWrongKey = (bytes: number) => ({ key: 'wrong', bytes });
const kib = 1024;
const tooLarge = 8 * kib * kib;

const found = { status: 200, errorCode: '' };
const created = { status: 201, errorCode: '', body: { ok: true, operation: 'create' } };
const keyInvalid = {
  status: 401,
  errorCode: 'key.invalid',
  body: { statusCode: 401, message: 'Access Denied, API key not valid', error: 'Unauthorized' },
};
const bodyTooLarge = {
  status: 413,
  errorCode: 'request.body_too_large',
  body: { statusCode: 413, message: expect.any(String), error: 'Payload Too Large' },
};

interface Row {
  readonly title: string;
  readonly mode: Mode;
  /** Sent one after another in one session of the client. */
  readonly requests: () => readonly ClientRequest[];
  readonly responses: readonly object[];
  /** The number of connections that the session opens, if the service decides it. */
  readonly connections?: number;
  /** Whether each response follows a `100 Continue`. */
  readonly continued?: readonly boolean[];
  /** The protocol of each response. */
  readonly version?: string;
}

const repeated = <Item>(item: Item) => range(repetitions).map(() => item);
const rows: readonly Row[] = [
  {
    title: 'receives 413 for each body of 8 MiB',
    mode: 'plain',
    requests: () => repeated(post(tooLarge)),
    responses: repeated(bodyTooLarge),
  },
  {
    title: 'receives 401 for a body of 100 KiB with a wrong key, and 201 on the same connection',
    mode: 'plain',
    requests: () => repeated([postWithWrongKey(100 * kib), post(100)]).flat(),
    responses: repeated([keyInvalid, created]).flat(),
    connections: 1,
  },
  {
    title: 'receives 401 for a body of 8 MiB with a wrong key',
    mode: 'plain',
    requests: () => repeated(postWithWrongKey(tooLarge)),
    responses: repeated(keyInvalid),
  },
  {
    title: 'receives 201 for chunked bodies on one connection',
    mode: 'chunked',
    requests: () => [post(100), post(100 * kib), post(1_000 * kib), get()],
    responses: [created, created, created, found],
    connections: 1,
  },
  {
    title: 'receives 413 for each chunked body of 8 MiB',
    mode: 'chunked',
    requests: () => repeated(post(tooLarge)),
    responses: repeated(bodyTooLarge),
  },
  {
    title: 'receives 100, sends the expected body and receives 201',
    mode: 'expect',
    requests: () => [post(100), post(100 * kib)],
    responses: [created, created],
    continued: [true, true],
  },
  {
    title: 'receives 401 with a wrong key before it has sent the expected body',
    mode: 'expect',
    requests: () => [postWithWrongKey(100 * kib), post(100), postWithWrongKey(tooLarge), post(100)],
    responses: [keyInvalid, created, keyInvalid, created],
    continued: [false, true, false, true],
  },
  {
    title: 'receives 413 before it has sent the expected body of 8 MiB',
    mode: 'expect',
    requests: () => [post(tooLarge), post(100)],
    responses: [bodyTooLarge, created],
    continued: [false, true],
  },
  {
    title: 'receives 200 and 201 with HTTP/1.0, and the connection closes each time',
    mode: 'http1.0',
    requests: () => [get(), post(100 * kib), get()],
    responses: [found, created, found],
    connections: 3,
  },
  {
    title: 'receives HTTP/1.1 responses to requests that offer h2c',
    mode: 'h2c',
    requests: () => [get(), post(100), get()],
    responses: [found, created, found],
    version: 'HTTP_1_1',
  },
  {
    title: 'receives 201 for a first request that offers h2c and has a body',
    mode: 'h2c',
    requests: () => [post(100 * kib), get()],
    responses: [created, found],
    version: 'HTTP_1_1',
  },
  {
    title: 'receives 401 and 413 for bodies of requests that offer h2c',
    mode: 'h2c',
    requests: () => [postWithWrongKey(100 * kib), ...repeated(post(tooLarge))],
    responses: [keyInvalid, ...repeated(bodyTooLarge)],
    version: 'HTTP_1_1',
  },
];

describe.each(clients)('$name', (client) => {
  const itIfInstalled = client.isInstalled ? it : it.skip;
  const supported = rows.filter(({ mode }) => client.modes.includes(mode));

  itIfInstalled.each(supported)('$title', async (row) => {
    const received = await client.send(`${service.url}/${basePath}`, row.mode, row.requests());
    expect(received).toMatchObject(row.responses);
    const shown = (field: 'port' | 'continued' | 'version') =>
      received.flatMap((response) => response[field] ?? []);
    const [ports, continued, versions] = [shown('port'), shown('continued'), shown('version')];
    if (ports.length > 0 && row.connections !== undefined) {
      expect(new Set(ports).size).toBe(row.connections);
    }
    if (continued.length > 0 && row.continued !== undefined) {
      expect(continued).toEqual(row.continued);
    }
    if (row.version !== undefined) expect(versions).toEqual(received.map(() => row.version));
  });
});

describe('a service after SIGTERM', () => {
  const maxExitMs = 10_000;
  let stopping: ServiceProcess;
  beforeAll(async () => {
    stopping = await startProcess({ ...variables, DRAIN_MS: '3000' });
  });

  const statusOfHealth = async () => (await fetch(`${stopping.url}/${basePath}/healthz`)).status;

  it('sends every response, returns 503 for healthz, and exits despite idle connections', async () => {
    const agent = new Agent({ keepAlive: true });
    const url = `${stopping.url}/${basePath}`;
    const idle = range(5).map(() => request(`${url}/healthz`, { agent }).end());
    for (const response of await Promise.all(idle.map(responseTo))) {
      expect(response.statusCode).toBe(200);
      await json(response);
    }
    const idleSockets = Object.values(agent.freeSockets).flatMap((sockets = []) => sockets);
    const unused = range(5).map(() => openSocket(stopping.url));
    await Promise.all(unused.map((socket) => once(socket, 'connect')));
    const closed = [...idleSockets, ...unused].map((socket) => once(socket.resume(), 'close'));
    expect(closed).toHaveLength(10);

    const body = '{"name":"late"}';
    const headers = {
      'api-key': tenant.key,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    };
    const uploads = range(10).map(() => request(`${url}/leads`, { method: 'POST', headers }));
    for (const upload of uploads) upload.flushHeaders();
    // The service has read the headers of all of them.
    await Promise.all(uploads.map((upload) => once(upload, 'continue')));
    const responses = uploads.map(responseTo);

    const signaledAt = performance.now();
    stopping.process.kill('SIGTERM');
    await eventually(async () => expect(await statusOfHealth()).toBe(503));
    for (const upload of uploads.slice(0, 5)) upload.end(body);
    await eventually(async () => {
      const refused = await statusOfHealth().catch(() => 'refused');
      expect(refused).toBe('refused');
    });
    for (const upload of uploads.slice(5)) upload.end(body);
    for (const response of await Promise.all(responses)) {
      expect(response).toMatchObject({ statusCode: 201, headers: { connection: 'close' } });
      expect(await json(response)).toMatchObject(created.body);
    }
    await Promise.all(closed);
    expect(await stopping.exited).toBe(0);
    expect(performance.now() - signaledAt).toBeLessThan(maxExitMs);
  });
});

async function responseTo(sent: Sent): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
