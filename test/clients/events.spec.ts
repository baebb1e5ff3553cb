import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  eventPagesOf,
  EventsExpiredError,
  eventsOf,
  type FeedEvent,
  type FeedOptions,
  IntegrationApiError,
} from '../../clients/typescript/src/index.js';
import type { Respond } from '../support/receiver.js';
import { respondingWith, useReceiver } from './support/test-client.js';

const test = useReceiver();
const { client, runtime } = test;
const received = () => test.receiver.received;
let controller: AbortController;
/** The server sends these responses in order. Then the read is aborted. */
let responses: Respond[];

beforeEach(() => {
  controller = new AbortController();
  test.receiver.respondWith((request, response) => {
    // Each response takes as long as a full long poll, unless `respondingEarly` wraps it.
    test.now += 25_000;
    const respond = responses.shift();
    if (respond === undefined) controller.abort(abortReason);
    else respond(request, response);
  });
});

const abortReason = new Error('Aborted');

const page = (next: number, sequences: number[] = [], hasMore = false) =>
  respondingWith(200, {}, { data: sequences.map(event), next, hasMore });
const event = (sequence: number) => ({ sequence, id: `msg_${sequence}`, type: 'lead.deleted' });
const respondingEarly =
  (respond: Respond): Respond =>
  (request, response) => {
    test.now -= 24_500;
    respond(request, response);
  };
const drop: Respond = (_, response) => response.destroy();
const expired = respondingWith(
  410,
  { 'x-error-code': 'events.expired', 'x-next-cursor': '1233' },
  {
    message:
      'The events after this position have expired: read the current state with GET /leads, /reservations, /compounds and /units, then continue with after=1233',
  },
);

const retries = { attempts: 2, totalTimeoutMs: 120_000 };

/** Reads until the responses are used up or an error is thrown. */
async function read(list: Respond[], options: FeedOptions = {}) {
  responses = list;
  const seen: number[] = [];
  const { signal } = controller;
  try {
    const { readEvents } = client({ retries });
    for await (const { sequence } of eventsOf(readEvents, { runtime, signal, ...options })) {
      seen.push(sequence);
    }
  } catch (error) {
    return { seen, error };
  }
  throw new Error('The feed has ended');
}

const queries = () =>
  received().map(({ path }) => Object.fromEntries(new URL(path, test.receiver.url).searchParams));
const queriedAfter = () => queries().map(({ after }) => Number(after));

describe('the reader of the event feed', () => {
  it('reads from the oldest event, follows each page and ends with the signal', async () => {
    const { seen, error } = await read([page(2, [1, 2], true), page(3, [3]), page(3)]);
    expect([seen, error]).toEqual([[1, 2, 3], abortReason]);
    const query = { limit: '100', wait: '25' };
    expect(queries()).toEqual([0, 2, 3, 3].map((after) => ({ ...query, after: String(after) })));
    expect(test.pauses).toEqual([]);
  });

  it('sends the given parameters', async () => {
    await read([], { after: 7, types: 'lead.*', limit: 5, waitSeconds: 10 });
    expect(queries()).toEqual([{ after: '7', types: 'lead.*', limit: '5', wait: '10' }]);
  });

  it.each<[string, Respond]>([
    ['lost connections', drop],
    ['an unavailable server', respondingWith(503)],
    ['too many requests', respondingWith(429)],
    ['a status that a call does not retry', respondingWith(520)],
    ['an error page of a proxy', (_, response) => response.writeHead(200).end('<html>Sorry')],
    ['an unexpected JSON object', respondingWith(200, {}, { ok: true })],
    ['a JSON null', respondingWith(200, {}, null)],
  ])('retries %s more often than a single call does', async (_, failing) => {
    const list = [page(1, [1]), failing, failing, failing, failing, page(2, [2])];
    const { seen, error } = await read(list, { pauseMs: 5_000 });
    expect([seen, error]).toEqual([[1, 2], abortReason]);
    expect(queriedAfter()).toEqual([0, 1, 1, 1, 1, 1, 2]);
    expect(test.pauses).toContain(5_000);
  });

  it('pauses at most 30 seconds, but at least as long as Retry-After', async () => {
    const { seen } = await read([
      respondingWith(503),
      respondingWith(503),
      respondingWith(503, { 'retry-after': '300' }),
      respondingWith(503, { 'retry-after': 'Tue, 01 Jan 2030 01:00:00 GMT' }),
      page(1, [1]),
    ]);
    expect(seen).toEqual([1]);
    const inAnHour = 3_600_000 - 4 * 25_000 - 500 - 30_000 - 300_000;
    expect(test.pauses).toEqual([500, 30_000, 300_000, inAnHour]);
  });

  it('pauses briefly when a long poll returns at once', async () => {
    await read([respondingEarly(page(0)), respondingEarly(page(0)), page(0)]);
    expect(test.pauses).toEqual([1_000, 1_000]);
  });

  it('throws immediately when a retry cannot help', async () => {
    const { error } = await read([respondingWith(403, { 'x-error-code': 'key.not_allowed' })]);
    expect(error).toBeInstanceOf(IntegrationApiError);
    expect(error).toMatchObject({ status: 403 });
    expect(received()).toHaveLength(1);
  });

  it('throws with the next sequence number when events have expired', async () => {
    const { seen, error } = await read([page(3, [3]), expired], { after: 2 });
    expect(seen).toEqual([3]);
    expect(error).toBeInstanceOf(EventsExpiredError);
    expect(error).toMatchObject({ next: 1_233, cause: { status: 410, code: 'events.expired' } });
  });

  it('continues after expired events when allowed, after a read of the current state', async () => {
    const reads: number[] = [];
    const onExpired = async ({ next }: EventsExpiredError) => {
      // A client that does not wait for this callback sends its next request during the pause.
      await delay(50);
      reads.push(next, received().length);
    };
    const { seen } = await read([expired, page(1_234, [1_234])], { after: 2, onExpired });
    expect([seen, reads]).toEqual([[1_234], [1_233, 1]]);
    expect(queriedAfter()).toEqual([2, 1_233, 1_234]);
  });

  it('advances when no event has the requested types', async () => {
    responses = [page(5_000, [], true), page(5_002, [5_001])];
    const options = { types: 'unit.*', runtime, signal: controller.signal };
    const pages = eventPagesOf(client({ retries }).readEvents, options);
    expect((await pages.next()).value).toEqual({ events: [], after: 5_000 });
    expect((await pages.next()).value).toEqual({ events: [event(5_001)], after: 5_002 });
    await expect(pages.next()).rejects.toBe(abortReason);
    expect(queriedAfter()).toEqual([0, 5_000, 5_002]);
  });

  it('yields nothing after an abort', async () => {
    responses = [page(2, [1, 2])];
    const { signal } = controller;
    const events = eventsOf(client({ retries }).readEvents, { runtime, signal });
    expect((await events.next()).value).toMatchObject({ sequence: 1 } satisfies Partial<FeedEvent>);
    controller.abort(abortReason);
    await expect(events.next()).rejects.toBe(abortReason);
    expect(received()).toHaveLength(1);
  });

  it('rejects a pause with the abort reason of the signal', async () => {
    const sleep = (milliseconds: number) => {
      if (milliseconds < 30_000) return Promise.resolve();
      controller.abort(abortReason);
      return Promise.reject(new Error('Woken'));
    };
    const { error } = await read([drop, drop], { runtime: { now: () => test.now, sleep } });
    expect(error).toBe(abortReason);
    expect(received()).toHaveLength(2);
  });

  it.each([{ wait: 1 }, { timeout: 1_000 }])(
    'waits for the duration in %j even when the attempt timeout is shorter',
    async (query) => {
      responses = [
        (_, response) => setTimeout(() => page(1, [1])(_, response), 150),
        respondingWith(500),
      ];
      const short = { attempts: 1, attemptTimeoutMs: 20, totalTimeoutMs: 20 };
      const api = client({ retries: short, runtime: {} });
      expect((await api.readEvents({ query })).data.next).toBe(1);
    },
  );
});
