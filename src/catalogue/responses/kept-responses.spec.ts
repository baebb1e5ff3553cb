import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { Types } from 'mongoose';
import type { Environment } from '../../core/configuration/environment.js';
import { addEntityTags } from '../../core/http/server/entity-tag.js';
import { responseCacheOf } from '../../../test/operations/metrics-text.js';
import { Metrics } from '../../core/observability/metrics.js';
import { CatalogueFreshness } from './catalogue-freshness.js';
import { KeptResponsesService } from './kept-responses.service.js';

const deadlineMs = 300;
/** Too little for the pages of one walk, and for their keys. */
const maxBytes = 100_000;

let freshness: CatalogueFreshness;
let organizationId: Types.ObjectId;
/** Finishes what the route has been asked for, in this order. */
let asked: ((respond: (reply: FastifyReply) => unknown) => void)[];
let metrics: Metrics;
let server: FastifyInstance;
let url: string;

async function start(bytes = maxBytes): Promise<void> {
  const variables = { RESPONSE_CACHE_BYTES: bytes, DATABASE_DEADLINE_MS: deadlineMs };
  const environment = variables as Environment;
  freshness = new CatalogueFreshness(environment);
  if (bytes > 0) freshness.maxAgeMs = 60_000;
  organizationId = new Types.ObjectId();
  metrics = new Metrics();
  const kept = new KeptResponsesService(freshness, environment, metrics);
  server = fastify({ forceCloseConnections: true });
  addEntityTags(server);
  kept.addTo(server);
  const caller = { organizationId, permissions: '{}' } as never;
  server.addHook('onRequest', (request, reply, done) => {
    Object.assign(request, { caller, language: 'en-us', databaseWaitStartedAt: performance.now() });
    if (request.headers['x-leaves'] === undefined) done();
    else reply.raw.once('close', () => done());
  });
  server.get('/list', { config: { isKept: true } as never }, (_request, reply) => {
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

const write = () => freshness.noteWrite(organizationId.toHexString());
const read = async (signal?: AbortSignal, query = '') => {
  const response = await fetch(`${url}/list${query}`, signal ? { signal } : {});
  return { status: response.status, text: await response.text() };
};
/** Reads what is not kept, and says what it is. */
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
/** Until those who wait are known to wait. */
async function waitersArrived(count: number): Promise<void> {
  const connections = () =>
    new Promise<number>((resolve) => {
      server.server.getConnections((_error, open) => resolve(open));
    });
  while ((await connections()) < count) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a response that is being made', () => {
  it('is shared by all who ask for it meanwhile', async () => {
    const readers = Array.from({ length: 5 }, () => read());
    await isAsked(1);
    await waitersArrived(5);
    asked[0]?.(() => 'one');
    expect(await Promise.all(readers)).toEqual(readers.map(() => ({ status: 200, text: 'one' })));
    expect(asked).toHaveLength(1);
    expect(await responseCacheOf(metrics)).toMatchObject({ hits: 4, misses: 1, entries: 1 });
  });

  it.each([
    [
      'fails',
      (reply: FastifyReply) => reply.code(500).send('broken'),
      { status: 500, text: 'broken' },
    ],
    ['is a stream', () => Readable.from(['a', 'b']), { status: 200, text: 'ab' }],
  ])('is only the maker’s own when it %s', async (_what, respond, made) => {
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

  it('is made by the others when the client of the maker leaves', async () => {
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

  it('is made by the others when the client of the maker had left before', async () => {
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

  it('is waited for no longer than for the database', async () => {
    const first = read();
    await isAsked(1);
    expect(await read()).toMatchObject({
      status: 500,
      text: expect.stringContaining('The database did not respond in time.'),
    });
    asked[0]?.(() => 'late');
    expect(await first).toEqual({ status: 200, text: 'late' });
  });

  it('is neither kept nor given to later ones when something is written meanwhile', async () => {
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

describe('a response that is asked for again', () => {
  it('is kept from the second time on, and after a write from the first', async () => {
    await make('one');
    expect(await responseCacheOf(metrics)).toMatchObject({ hits: 0, misses: 1, entries: 0 });
    await make('one');
    expect((await read()).text).toBe('one');
    expect(await responseCacheOf(metrics)).toMatchObject({ hits: 1, misses: 2, entries: 1 });
    write();
    await make('two');
    expect((await read()).text).toBe('two');
  });

  it.each([
    [200, 'two'],
    [500, 'two'],
    [503, 'two'],
    [400, 'one'],
    [404, 'one'],
    [429, 'one'],
  ])('shows after a write that is responded to with %i: %s', async (status, shown) => {
    await make('one');
    await make('one');
    await fetch(`${url}/write/${status}`, { method: 'POST' });
    const response = read();
    if (shown === 'two') {
      await isAsked(3);
      asked[2]?.(() => 'two');
    }
    expect((await response).text).toBe(shown);
  });

  it('is repeated until it is too old, counted from when it began to be read', async () => {
    await make('asked once');
    const slow = read();
    await isAsked(2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    asked[1]?.(() => 'slow');
    expect((await slow).text).toBe('slow');
    expect((await read()).text).toBe('slow');
    freshness.maxAgeMs = 200;
    await make('new');
  });

  it('is driven out by none that is asked for once, of however many', async () => {
    await make('repeated');
    await make('repeated');
    const page = 'a page'.repeat(1_000);
    for (let number = 1; number <= 200; number++) await make(page, `?page=${number}`);
    expect((await read()).text).toBe('repeated');
    const { entries, bytes, evictions } = await responseCacheOf(metrics);
    expect({ entries, evictions }).toEqual({ entries: 1, evictions: 0 });
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  });
});

describe('without memory for them', () => {
  it('no response is kept', async () => {
    await server.close();
    await start(0);
    for (const number of [1, 2]) {
      const response = read();
      await isAsked(number);
      asked[number - 1]?.(() => 'anew');
      await response;
    }
    expect(await responseCacheOf(metrics)).toMatchObject({ hits: 0, entries: 0 });
  });
});
