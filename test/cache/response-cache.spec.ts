import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { Types } from 'mongoose';
import { TenantCache } from '../../src/core/cache/tenant-cache.js';
import { ResponseCache } from '../../src/core/cache/response-cache.js';
import type { Environment } from '../../src/core/configuration/environment.js';
import { addEntityTags } from '../../src/core/http/server/fastify-adapter.js';
import { RequestDeadline } from '../../src/core/http/server/request-deadline.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { eventually } from '../support/eventually.js';

const variables = { RESPONSE_CACHE_BYTES: 1_000_000, DATABASE_DEADLINE_MS: 300 };
const environment = variables as Environment;

let cache: TenantCache;
let organizationId: Types.ObjectId;
/** Each function finishes one call of the route, in order of arrival. */
let routeCalls: ((respond: (reply: FastifyReply) => unknown) => void)[];
let metrics: Metrics;
let server: FastifyInstance;
let url: string;

beforeEach(async () => {
  routeCalls = [];
  organizationId = new Types.ObjectId();
  metrics = new Metrics();
  cache = new TenantCache(environment, metrics);
  const now = performance.now();
  cache.now = () => now;
  server = fastify({ forceCloseConnections: true });
  addEntityTags(server);
  new ResponseCache(cache, new RequestDeadline(environment)).addTo(server);
  const caller = { organizationId, permissions: '{}' } as never;
  server.addHook('onRequest', (request, reply, done) => {
    Object.assign(request, { caller, language: 'en-us', databaseWaitStartedAt: performance.now() });
    if (request.headers['x-leaves'] === undefined) done();
    else reply.raw.once('close', () => done());
  });
  server.get('/list', { config: { isCached: true } as never }, (_request, reply) => {
    const { promise, resolve } = Promise.withResolvers<(of: FastifyReply) => unknown>();
    routeCalls.push(resolve);
    return promise.then((respond) => respond(reply));
  });
  server.post<{ Params: { status: string } }>('/write/:status', ({ params }, reply) =>
    reply.code(Number(params.status)).send('done'),
  );
  url = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => server.close());

async function read(options: RequestInit = {}): Promise<string> {
  const response = await fetch(`${url}/list`, options);
  return `${response.status} ${await response.text()}`;
}
const waitForRouteCalls = (times: number) =>
  eventually(() => expect(routeCalls).toHaveLength(times));
/** Waits until this many connections are open and their requests had time to arrive. */
async function waitForConnections(count: number): Promise<void> {
  const connections = promisify(server.server.getConnections.bind(server.server));
  await eventually(async () => expect(await connections()).toBe(count));
  await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a response that is being computed', () => {
  it('is shared with simultaneous requests', async () => {
    const readers = Array.from({ length: 5 }, () => read());
    await waitForRouteCalls(1);
    await waitForConnections(5);
    routeCalls[0]?.(() => 'one');
    expect(await Promise.all(readers)).toEqual(readers.map(() => '200 one'));
    expect(await cacheMetrics(metrics)).toMatchObject({ hits: 4, misses: 1, entries: 1 });
  });

  it.each<[string, (reply: FastifyReply) => unknown, string]>([
    ['fails', (reply) => reply.code(500).send('broken'), '500 broken'],
    ['is a stream', () => Readable.from(['a', 'b']), '200 ab'],
  ])('is not shared when it %s', async (_title, respond, expected) => {
    const first = read();
    await waitForRouteCalls(1);
    const others = [read(), read()];
    await waitForConnections(3);
    routeCalls[0]?.(respond);
    expect(await first).toBe(expected);
    await waitForRouteCalls(3);
    for (const finish of routeCalls.slice(1)) finish(() => 'own');
    expect(await Promise.all(others)).toEqual(['200 own', '200 own']);
  });

  it.each([
    ['a waiting request when the first client disconnects', false],
    ['a later request when the first client has already disconnected', true],
  ])('is computed again for %s', async (_title, hasDisconnected) => {
    const firstClient = new AbortController();
    const { signal } = firstClient;
    const first = read(hasDisconnected ? { signal, headers: { 'x-leaves': '1' } } : { signal });
    let other: Promise<string> | undefined;
    if (hasDisconnected) await waitForConnections(1);
    else {
      await waitForRouteCalls(1);
      other = read();
      await waitForConnections(2);
    }
    firstClient.abort();
    await expect(first).rejects.toThrow('aborted');
    if (hasDisconnected) await waitForRouteCalls(1);
    other ??= read();
    await waitForRouteCalls(2);
    routeCalls[1]?.(() => 'own');
    expect(await other).toBe('200 own');
    routeCalls[0]?.(() => 'late');
  });

  it('keeps requests waiting until their deadline', async () => {
    const first = read();
    await waitForRouteCalls(1);
    expect(await read()).toMatch(/^500 .*The database did not respond in time\./);
    routeCalls[0]?.(() => 'late');
    expect(await first).toBe('200 late');
  });

  it('is neither stored nor sent to later requests after a write', async () => {
    const before = read();
    await waitForRouteCalls(1);
    cache.invalidate(organizationId);
    const after = read();
    await waitForRouteCalls(2);
    routeCalls[0]?.(() => 'old');
    expect(await before).toBe('200 old');
    routeCalls[1]?.(() => 'new');
    expect([await after, await read()]).toEqual(['200 new', '200 new']);
  });
});

it.each([500, 503])('ResponseCache is invalidated by a write that ends with %i', async (status) => {
  for (const [index, text] of ['one', 'two'].entries()) {
    const response = read();
    await waitForRouteCalls(index + 1);
    routeCalls[index]?.(() => text);
    expect(await response).toBe(`200 ${text}`);
    await fetch(`${url}/write/${status}`, { method: 'POST' });
  }
});
