import { once } from 'node:events';
import { get } from 'node:http';
import type { Server, Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ApiKeysRepository } from '../../src/tenants/keys/api-keys.repository.js';
import { LongPollWaiters } from '../../src/events/feed/long-poll-waiters.js';
import { EventFeedService } from '../../src/events/feed/event-feed.service.js';
import { EventFeedsRepository } from '../../src/events/outbox/event-feeds.repository.js';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { rounds } from '../support/rounds.js';
import { basePath } from '../support/shared-service.js';
import type { TestService } from '../support/test-service.js';
import { sequencesOf, useFeed } from './feed-service.js';

const feed = useFeed();
const { addReader, startInstance } = feed;
afterEach(() => {
  jest.restoreAllMocks();
});

const waitersOf = ({ service: { app } }: TestService) => app.get(LongPollWaiters);
const waitForPolls = (count: number, at: TestService = feed.service) =>
  eventually(() => expect(waitersOf(at).count).toBe(count));
const pagesOf = ({ service: { app } }: TestService) =>
  jest.spyOn(app.get(EventFeedService), 'page');
const failSharedQuery = ({ service: { app } }: TestService) =>
  jest
    .spyOn(app.get(EventFeedsRepository), 'lastNumbers')
    .mockRejectedValue(new Error('no primary'));
const wait = { wait: 20 };

describe('a long poll', () => {
  it('returns an event that its own process numbers, without a query', async () => {
    const reader = await addReader();
    failSharedQuery(feed.service);
    const all = reader.read(wait).then(({ body }) => body);
    const deleted = reader.read({ ...wait, types: 'lead.deleted' }).then(({ body }) => body);
    await waitForPolls(2);
    await reader.postLead({ data: {} });
    expect(await all).toMatchObject({ data: [{ type: 'lead.created' }], next: 1 });
    await waitForPolls(1);
    await reader.deleteLead();
    expect(await deleted).toMatchObject({ data: [{ type: 'lead.deleted', sequence: 2 }] });
    expect(waitersOf(feed.service).count).toBe(0);
  });

  it('returns an event that another process has numbered', async () => {
    const reader = await addReader();
    const other = await startInstance();
    const poll = reader.read(wait, {}, other).then(({ body }) => body);
    await waitForPolls(1, other);
    await reader.store(1);
    expect(sequencesOf((await poll).data)).toEqual([1]);
    // A stored event is returned without a wait.
    expect(sequencesOf((await reader.read(wait, {}, other)).body.data)).toEqual([1]);
  });

  it('shares one query per 250 ms and one read per event with all others', async () => {
    const reader = await addReader();
    const pages = pagesOf(feed.service);
    const polls: Promise<string>[] = [];
    // The requests come in groups, because the listener's queue holds too few connections for all at once.
    while (polls.length < rounds(300, 1_000)) {
      for (let index = 0; index < 100; index++) {
        const poll = reader.read({ wait: 25 });
        polls.push(poll.then(({ status, body }) => `${status} ${body.data?.length}`));
      }
      await waitForPolls(polls.length);
    }
    // A request is counted as waiting before its first read, so these reads may still be running.
    await eventually(() => expect(pages).toHaveBeenCalledTimes(polls.length));
    await Promise.all(pages.mock.results.map(({ value }) => value));
    const commands: string[] = [];
    const startedAt = performance.now();
    const id = reader.organizationId.toHexString();
    feed.service.tenantCommands.onCommand(({ organizations, name, collection, fields }) => {
      // The background job for phones reads the leads and clients of all organizations every five seconds.
      if (['leads', 'clients'].includes(collection) || organizations?.includes(id) !== true) return;
      commands.push(`${name} ${collection} by ${fields.join(', ')}`);
    });
    // Events of another organization must cause no reads for these requests.
    const other = await addReader();
    await other.publish(3);
    await eventually(() => expect(commands.length).toBeGreaterThan(2));
    const sharedQueries = Math.ceil((performance.now() - startedAt) / 250);
    expect(new Set(commands).size).toBe(1);
    expect(commands.length).toBeLessThanOrEqual(sharedQueries);
    expect(pages).toHaveBeenCalledTimes(polls.length);
    await reader.store(1);
    expect(new Set(await Promise.all(polls))).toEqual(new Set(['200 1']));
    // The other commands number the event and read it once for all requests.
    expect(commands.length).toBeLessThan(sharedQueries + 50);
    expect(waitersOf(feed.service).count).toBe(0);
  });

  it('counts as a running request of its key until it is read, unless it has waited', async () => {
    const reader = await addReader();
    await reader.publish(1, { data: { _id: 'a', text: 'x'.repeat(15_000_000) } });
    const limited = await startInstance({ ROLE: 'api', MAX_CONCURRENT_REQUESTS: '2' });
    const sockets = Array.from({ length: 3 }, () =>
      openSocket(limited.url).on('error', () => undefined),
    );
    const statuses = await Promise.all(
      sockets.map(async (socket) => {
        const path = `/${basePath}/events?after=0&wait=20`;
        socket.write(rawRequest(`GET ${path}`, [`api-key: ${reader.key}`]));
        const [head] = (await once(socket, 'data')) as [Buffer];
        socket.pause();
        return /^HTTP\/1\.1 (\d{3})/.exec(String(head))?.[1];
      }),
    );
    expect(statuses.toSorted()).toEqual(['200', '200', '429']);
    for (const socket of sockets) socket.destroy();
  });

  it('does not read the feed while the shared query fails', async () => {
    const reader = await addReader();
    const other = await startInstance();
    const sharedQuery = failSharedQuery(other);
    const pages = pagesOf(other);
    const poll = reader.read(wait, {}, other).then(({ body }) => body);
    await waitForPolls(1, other);
    await reader.store(1);
    await eventually(() => expect(sharedQuery.mock.calls.length).toBeGreaterThan(2));
    expect(pages.mock.calls.length).toBeLessThanOrEqual(1);
    sharedQuery.mockRestore();
    expect((await poll).data).toHaveLength(1);
  });

  it('ends when its client disconnects', async () => {
    const { key } = await addReader();
    const controller = new AbortController();
    const poll = fetch(`${feed.service.url}/${basePath}/events?wait=25`, {
      headers: { 'api-key': key },
      signal: controller.signal,
    });
    await waitForPolls(1);
    controller.abort();
    await expect(poll).rejects.toThrow(/abort/);
    await waitForPolls(0);
  });

  it('does not wait when its client disconnected during the key lookup', async () => {
    const { key } = await addReader();
    const { app } = feed.service.service;
    let socket: Socket | undefined;
    (app.getHttpServer() as Server).once('connection', (connection) => (socket = connection));
    const keys = app.get(ApiKeysRepository);
    const find = keys.findByHash.bind(keys);
    jest.spyOn(keys, 'findByHash').mockImplementationOnce(async (hash) => {
      poll.destroy();
      if (socket?.destroyed === false) await once(socket, 'close');
      return find(hash);
    });
    const read = jest.spyOn(app.get(EventFeedService), 'read');
    const url = `${feed.service.url}/${basePath}/events?wait=25`;
    const poll = get(url, { agent: false, headers: { 'api-key': key } });
    await expect(once(poll, 'response')).rejects.toThrow(/hang up/);
    await eventually(() => expect(read).toHaveBeenCalled());
    const [, , signal] = read.mock.calls[0] ?? [];
    expect([socket?.destroyed, signal?.aborted]).toEqual([true, true]);
    await read.mock.results[0]?.value;
  });

  it('returns an empty page when it arrives before or during a shutdown', async () => {
    const reader = await addReader();
    // On a busy machine the second request may arrive late, so the drain has to be long.
    const closing = await startInstance({ ROLE: 'api', DRAIN_MS: '3000' });
    const read = () => reader.read(wait, {}, closing).then((response) => response);
    const poll = read();
    await waitForPolls(1, closing);
    const ended = closing.service.shutDown();
    for (const { status, body, headers } of await Promise.all([poll, read()])) {
      expect([status, body.data, headers['connection']]).toEqual([200, [], 'close']);
    }
    expect(await ended).toBe(true);
  });

  it('returns an empty page when the process shuts down during a long search', async () => {
    const reader = await addReader();
    const closing = await startInstance();
    pagesOf(closing).mockImplementation(async (_organizationId, { after }) => {
      if (after === 2) waitersOf(closing).endAll();
      return { data: [], next: after + 1, hasMore: true };
    });
    const { body } = await reader.read({ ...wait, types: 'unit.updated' }, {}, closing).expect(200);
    expect(body).toEqual({ data: [], next: 3, hasMore: true });
  });
});
