import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { Types } from 'mongoose';
import { FreshCache } from '../../src/core/cache/fresh-cache.js';
import { ResponseCache } from '../../src/core/cache/response-cache.js';
import type { Environment } from '../../src/core/configuration/environment.js';
import { addEntityTags } from '../../src/core/http/server/fastify-adapter.js';
import { RequestDeadline } from '../../src/core/http/server/request-deadline.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { cacheMetrics } from '../operations/metrics-text.js';

const deadlineMs = 300;
const maxBytes = 1_000_000;

let cache: FreshCache;
let organizationId: Types.ObjectId;
/** Finishes what the route has been asked for, in this order. */
let asked: ((respond: (reply: FastifyReply) => unknown) => void)[];
let metrics: Metrics;
let server: FastifyInstance;
let url: string;

async function start(bytes = maxBytes): Promise<void> {
  const variables = { RESPONSE_CACHE_BYTES: bytes, DATABASE_DEADLINE_MS: deadlineMs };
  const environment = variables as Environment;
  organizationId = new Types.ObjectId();
  metrics = new Metrics();
  cache = new FreshCache(environment, metrics);
  const now = performance.now();
  cache.now = () => now;
  const responses = new ResponseCache(cache, new RequestDeadline(environment));
  server = fastify({ forceCloseConnections: true });
  addEntityTags(server);
  responses.addTo(server);
  const caller = { organizationId, permissions: '{}' } as never;
  server.addHook('onRequest', (request, reply, done) => {
    Object.assign(request, { caller, language: 'en-us', databaseWaitStartedAt: performance.now() });
    if (request.headers['x-leaves'] === undefined) done();
    else reply.raw.once('close', () => done());
  });
  server.get('/list', { config: { isCached: true } as never }, (_request, reply) => {
    const { promise, resolve } = Promise.withResolvers<(of: FastifyReply) => unknown>();
    asked.push(resolve);
    return promise.then((respond) => respond(reply));
  });
  server.post<{ Params: { status: string } }>('/write/:status', ({ params }, reply) =>
    reply.code(Number(params.status)).send('done'),
  );
  url = await server.listen({ port: 0, host: '127.0.0.1' });
}

beforeEach(async () => {
  asked = [];
  await start();
});
afterEach(() => server.close());

const write = () => cache.invalidate(organizationId);
const read = async (signal?: AbortSignal, query = '') => {
  const response = await fetch(`${url}/list${query}`, signal ? { signal } : {});
  return { status: response.status, text: await response.text() };
};
/** Reads a response that is not cached, and says what it is. */
async function make(text: string, query?: string): Promise<void> {
  const made = asked.length + 1;
  const response = read(undefined, query);
  await isAsked(made);
  asked[made - 1]?.(() => text);
  expect(await response).toEqual({ status: 200, text });
}
async function isAsked(times: number): Promise<void> {
  while (asked.length < times) await new Promise((resolve) => setTimeout(resolve, 5));
}
/** Until the other requests wait. */
async function waitersArrived(count: number): Promise<void> {
  const connections = () =>
    new Promise<number>((resolve) => {
      server.server.getConnections((_error, open) => resolve(open));
    });
  while ((await connections()) < count) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a response that is being computed', () => {
  it('is shared with simultaneous requests', async () => {
    const readers = Array.from({ length: 5 }, () => read());
    await isAsked(1);
    await waitersArrived(5);
    asked[0]?.(() => 'one');
    expect(await Promise.all(readers)).toEqual(readers.map(() => ({ status: 200, text: 'one' })));
    expect(asked).toHaveLength(1);
    expect(await cacheMetrics(metrics)).toMatchObject({ hits: 4, misses: 1, entries: 1 });
  });

  it.each([
    [
      'fails',
      (reply: FastifyReply) => reply.code(500).send('broken'),
      { status: 500, text: 'broken' },
    ],
    ['is a stream', () => Readable.from(['a', 'b']), { status: 200, text: 'ab' }],
  ])('is not shared when it %s', async (_what, respond, made) => {
    const first = read();
    await isAsked(1);
    const others = [read(), read()];
    await waitersArrived(3);
    asked[0]?.(respond);
    expect(await first).toEqual(made);
    await isAsked(3);
    for (const finish of asked.slice(1)) finish(() => 'own');
    expect(await Promise.all(others)).toEqual(others.map(() => ({ status: 200, text: 'own' })));
  });

  it('is computed by a waiting request when the first client disconnects', async () => {
    const leaving = new AbortController();
    const first = read(leaving.signal).catch(() => 'left');
    await isAsked(1);
    const other = read();
    await waitersArrived(2);
    leaving.abort();
    expect(await first).toBe('left');
    await isAsked(2);
    asked[1]?.(() => 'own');
    expect(await other).toEqual({ status: 200, text: 'own' });
    asked[0]?.(() => 'late');
  });

  it('is computed by a later request when the first client has already disconnected', async () => {
    const leaving = new AbortController();
    const left = fetch(`${url}/list`, { signal: leaving.signal, headers: { 'x-leaves': '1' } });
    await waitersArrived(1);
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    await isAsked(1);
    const other = read();
    await isAsked(2);
    asked[1]?.(() => 'own');
    expect(await other).toEqual({ status: 200, text: 'own' });
    asked[0]?.(() => 'late');
  });

  it('keeps requests waiting until their deadline', async () => {
    const first = read();
    await isAsked(1);
    expect(await read()).toMatchObject({
      status: 500,
      text: expect.stringContaining('The database did not respond in time.'),
    });
    asked[0]?.(() => 'late');
    expect(await first).toEqual({ status: 200, text: 'late' });
  });

  it('is neither stored nor sent to later requests after a write', async () => {
    const before = read();
    await isAsked(1);
    write();
    const after = read();
    await isAsked(2);
    asked[0]?.(() => 'old');
    expect((await before).text).toBe('old');
    asked[1]?.(() => 'new');
    expect((await after).text).toBe('new');
    expect((await read()).text).toBe('new');
    expect(asked).toHaveLength(2);
  });
});

it.each([500, 503])('computes a new response after a write that ended with %i', async (status) => {
  await make('one');
  await fetch(`${url}/write/${status}`, { method: 'POST' });
  await make('two');
  expect(asked).toHaveLength(2);
});
