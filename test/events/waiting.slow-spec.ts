import { once } from 'node:events';
import { get } from 'node:http';
import type { Server, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiKeysService } from '../../src/tenants/keys/api-keys.service.js';
import { LongPollWaiters } from '../../src/events/feed/long-poll-waiters.js';
import { EventFeedService } from '../../src/events/feed/event-feed.service.js';
import { EventRelay } from '../../src/events/outbox/event-relay.js';
import { rounds } from '../support/rounds.js';
import { basePath } from '../support/shared-service.js';
import type { TestService } from '../support/test-service.js';
import { FeedClient } from './feed-client.js';

let feed: FeedClient;

beforeAll(async () => {
  feed = await FeedClient.start();
});
afterEach(() => feed.stopOthers());
afterAll(() => feed.stop());

describe('a long poll', () => {
  const waitersOf = ({ service: { app } }: TestService) => app.get(LongPollWaiters);
  const waiting = (count: number, at: TestService = feed.service) =>
    feed.soon(() => expect(waitersOf(at).count).toBe(count));
  /** Begins to read; `response` is there when it came. */
  const begin = (request: ReturnType<FeedClient['read']>) => request.then((response) => response);

  it('returns an event of the requested types as soon as it is numbered', async () => {
    const tenant = await feed.addReader();
    const all = begin(feed.read(tenant, { wait: feed.patience }));
    const deleted = begin(feed.read(tenant, { wait: feed.patience, types: 'lead.deleted' }));
    const cloudEvents = begin(
      feed.read(
        tenant,
        { timeout: feed.patience * 1_000 },
        { accept: 'application/cloudevents-batch+json' },
      ),
    );
    await waiting(3);
    await feed.post(tenant, '/leads', { recordSystemId: 'a', data: {} });
    expect((await all).body).toMatchObject({ data: [{ type: 'lead.created' }], next: 1 });
    expect((await cloudEvents).body).toMatchObject([{ type: 'lead.created' }]);
    await waiting(1);
    await feed.service.api('delete', '/leads/a').set('api-key', tenant.key).expect(200);
    expect((await deleted).body).toMatchObject({ data: [{ type: 'lead.deleted', sequence: 2 }] });
    expect(waitersOf(feed.service).count).toBe(0);
  });

  it('returns an event that another process has numbered', async () => {
    const tenant = await feed.addReader();
    const other = await feed.startOther();
    const reading = begin(
      other.api('get', `/events?wait=${feed.patience}`).set('api-key', tenant.key),
    );
    await waiting(1, other);
    await feed.addEvents(tenant, 1);
    expect((await reading).body).toMatchObject({ data: [{ sequence: 1 }], next: 1 });
    // One that came before waits for nothing.
    const { body } = await other
      .api('get', `/events?wait=${feed.patience}`)
      .set('api-key', tenant.key);
    expect(body.data).toHaveLength(1);
  });

  it('shares one query per 250 ms and one read per event with all others', async () => {
    const tenant = await feed.addReader();
    const id = tenant.organizationId.toHexString();
    const looks = countLooks(feed.service);
    const readings: ReturnType<typeof begin>[] = [];
    // Not all at once: the listener's queue has no room for so many.
    while (readings.length < rounds(300, 1_000)) {
      for (let some = 0; some < 100; some++) readings.push(begin(feed.read(tenant, { wait: 25 })));
      await waiting(readings.length);
    }
    // Each is counted as waiting before it looks whether there is something already.
    await feed.soon(() => expect(looks()).toBe(readings.length));
    const commands: string[] = [];
    const startedAt = performance.now();
    feed.service.tenantCommands.onCommand(({ organizations, name, collection, fields }) => {
      // Every five seconds a pass looks for phones in the leads of all organizations.
      if (collection === 'leads' || organizations?.includes(id) !== true) return;
      commands.push(`${name} ${collection} by ${fields.join(', ')}`);
    });
    // Another organization's events are none of theirs.
    const other = await feed.addReader();
    await feed.addEvents(other, 3);
    await feed.numbered(other, 3);
    await feed.soon(() => expect(commands.length).toBeGreaterThan(2));
    const questions = Math.ceil((performance.now() - startedAt) / 250);
    expect(new Set(commands).size).toBe(1);
    expect(commands.length).toBeLessThanOrEqual(questions);
    expect(looks()).toBe(readings.length);
    await feed.addEvents(tenant, 1);
    const responses = await Promise.all(readings);
    const came = responses.map(({ status, body }) => `${status} ${body.data?.length}`);
    expect([...new Set(came)]).toEqual(['200 1']);
    // Numbering it, and one reading for all of them.
    expect(commands.length).toBeLessThan(questions + 50);
    expect(waitersOf(feed.service).count).toBe(0);
  });

  it('does not read the feed while the shared query fails', async () => {
    const tenant = await feed.addReader();
    const other = await feed.startOther();
    const question = jest.spyOn(other.service.app.get(EventRelay), 'lastNumbers');
    question.mockRejectedValue(new Error('no primary'));
    const looks = countLooks(other);
    const reading = begin(
      other.api('get', `/events?wait=${feed.patience}`).set('api-key', tenant.key),
    );
    await waiting(1, other);
    await feed.addEvents(tenant, 1);
    await feed.soon(() => expect(question.mock.calls.length).toBeGreaterThan(2));
    expect(looks()).toBeLessThanOrEqual(1);
    question.mockRestore();
    expect((await reading).body.data).toHaveLength(1);
  });

  it('ends when its client disconnects', async () => {
    const tenant = await feed.addReader();
    const left = new AbortController();
    const reading = fetch(`${feed.service.url}/${basePath}/events?wait=25`, {
      headers: { 'api-key': tenant.key },
      signal: left.signal,
    });
    await waiting(1);
    left.abort();
    await expect(reading).rejects.toThrow(/abort/);
    await waiting(0);
  });

  it('does not wait when its client disconnected during the key lookup', async () => {
    const { key } = await feed.addReader();
    const { app } = feed.service.service;
    let socket: Socket | undefined;
    (app.getHttpServer() as Server).once('connection', (connection) => (socket = connection));
    const keys = app.get(ApiKeysService);
    const find = keys.findByHash.bind(keys);
    jest.spyOn(keys, 'findByHash').mockImplementationOnce(async (hash) => {
      reading.destroy();
      if (socket?.destroyed === false) await once(socket, 'close');
      return find(hash);
    });
    const read = jest.spyOn(app.get(EventFeedService), 'read');
    const url = `${feed.service.url}/${basePath}/events?wait=25`;
    const reading = get(url, { agent: false, headers: { 'api-key': key } });
    await expect(once(reading, 'response')).rejects.toThrow(/hang up/);
    await feed.soon(() => expect(read).toHaveBeenCalled());
    const [, , signal] = read.mock.calls[0] ?? [];
    expect([socket?.destroyed, signal?.aborted]).toEqual([true, true]);
    await read.mock.results[0]?.value;
    jest.restoreAllMocks();
  });

  it('returns an empty page when it arrives before or during a shutdown', async () => {
    const tenant = await feed.addReader();
    // On a busy machine the second request takes its time.
    const ending = await feed.startOther({ ROLE: 'api', DRAIN_MS: '3000' });
    const wait = () => ending.api('get', '/events?wait=25').set('api-key', tenant.key);
    const reading = begin(wait());
    await waiting(1, ending);
    const ended = ending.service.shutDown();
    const [first, second] = await Promise.all([reading, begin(wait())]);
    for (const response of [first, second]) {
      expect([response.status, response.body.data]).toEqual([200, []]);
      expect(response.headers['connection']).toBe('close');
    }
    expect(await ended).toBe(true);
  });

  it('returns an event of its own process without a query', async () => {
    const tenant = await feed.addReader();
    const feeds = feed.service.service.app.get(EventRelay);
    const question = jest.spyOn(feeds, 'lastNumbers').mockRejectedValue(new Error('no primary'));
    const reading = begin(feed.read(tenant, { wait: feed.patience }));
    await waiting(1);
    await feed.addEvents(tenant, 1);
    expect((await reading).body.data).toHaveLength(1);
    question.mockRestore();
  });
});

/** Counts the pages that a service reads from now on. */
function countLooks({ service: { app } }: TestService): () => number {
  const events = app.get(EventFeedService);
  const page = events.page.bind(events);
  let count = 0;
  events.page = async (...parameters) => {
    const found = await page(...parameters);
    count += 1;
    return found;
  };
  return () => count;
}
