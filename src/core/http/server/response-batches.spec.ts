import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { ResponseBatches } from './response-batches.js';

/** What was handled and what was sent, in order. */
let order: string[];
/** In milliseconds; stands still unless a request takes time. */
let now: number;
let batches: ResponseBatches;
let server: FastifyInstance;

beforeEach(async () => {
  order = [];
  now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  batches = new ResponseBatches();
  server = fastify({ forceCloseConnections: true });
  batches.addTo(server);
  server.get('/quick/:name', ({ params }, reply) => {
    begin(params, reply);
    void reply.send('done');
  });
  server.get('/slow/:name', ({ params }, reply) => {
    begin(params, reply);
    now += 2;
    void reply.send('done');
  });
  server.setErrorHandler((error: Error, _request, reply) => {
    void reply.code(500).removeHeader('x-name').send(error.message);
  });
  server.get('/late/:name', ({ params }, reply) => {
    begin(params, reply);
    now += 2;
    setImmediate(() => void reply.send('done'));
  });
  server.get('/twice/:name', (_request, reply) => {
    void reply.code(201).send('first');
    void reply.code(202).header('x-late', 'yes').send('second');
  });
  server.get('/unwritable/:name', ({ params }, reply) => {
    begin(params, reply);
    void reply.header('x-name', '\n').send('done');
  });
  server.get('/failing/:name', ({ params }, reply) => {
    begin(params, reply);
    const failing = new Readable({ read: () => failing.destroy(new Error('failed')) });
    void reply.send(failing);
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await server.close();
});

function begin(params: unknown, { raw }: FastifyReply): void {
  const { name } = params as { name: string };
  order.push(name);
  const end = raw.end.bind(raw) as (...parameters: unknown[]) => typeof raw;
  raw.end = (...parameters: unknown[]) => {
    order.push(`sent ${name}`);
    return end(...parameters);
  };
}

/** Sends requests in one piece, so that one turn of the event loop handles them, and gives all that comes. */
async function request(...paths: string[]): Promise<string> {
  const { port } = server.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  const requests = paths.map((path, index) => {
    const end = index === paths.length - 1 ? 'Connection: close\r\n' : '';
    return `GET ${path} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
  });
  socket.write(requests.join(''));
  return text(socket);
}

it('go out together behind the requests of one turn of the event loop, in their order', async () => {
  await request('/quick/a', '/quick/b', '/quick/c');
  expect(order).toEqual(['a', 'b', 'c', 'sent a', 'sent b', 'sent c']);
  expect(batches.stats()).toEqual({ batches: 1 });
  await request('/quick/d');
  expect(batches.stats()).toEqual({ batches: 2 });
});

it('wait for no more than one slow request', async () => {
  await request('/slow/a', '/slow/b', '/slow/c');
  expect(order).toEqual(['a', 'b', 'sent a', 'sent b', 'c', 'sent c']);
});

it('do not wait for a second slow request which has no response yet', async () => {
  await request('/quick/a', '/late/b', '/late/c');
  expect(order).toEqual(['a', 'b', 'sent a', 'c', 'sent b', 'sent c']);
});

it('stay what they were when they were decided', async () => {
  const received = await request('/twice/a');
  expect(received).toMatch(/^HTTP\/1\.1 201 [^]*\r\n\r\nfirst$/);
  expect(received).not.toContain('x-late');
});

it('become the response to an error where they cannot be written', async () => {
  const received = await request('/quick/a', '/unwritable/b', '/quick/c');
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 500',
    'HTTP/1.1 200',
  ]);
});

it('that are streams do not wait, and fail as they would', async () => {
  const received = await request('/quick/a', '/failing/b');
  // The one of the stream is that of its error.
  expect(order).toEqual(['a', 'b', 'sent a', 'sent b']);
  expect(received).toContain('HTTP/1.1 500');
});
