import { expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import type { Environment } from '../../core/configuration/environment.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { EventRelay } from '../outbox/event-relay.js';
import { EventFeedService } from './event-feed.service.js';
import { LongPollWaiters } from './long-poll-waiters.js';

it('returns no result when the process shuts down during a long search', async () => {
  const relay = { lastNumbers: async () => new Map() };
  const waiters = new LongPollWaiters(relay as unknown as EventRelay, new Metrics());
  const environment = { DATABASE_DEADLINE_MS: 8_000 } as Environment;
  const snapshots = { during: (read: () => Promise<unknown>) => read() };
  const feed = new EventFeedService(
    ...([{}, relay, waiters, snapshots, {}, environment] as unknown as ConstructorParameters<
      typeof EventFeedService
    >),
  );
  jest.spyOn(feed, 'page').mockImplementation(async (_organizationId, { after }) => {
    if (after === 2) waiters.endAll();
    if (after > 10) throw new Error('The search does not end.');
    return { data: [], next: after + 1, hasMore: true };
  });
  const query = { types: 'unit.updated', wait: '20' };
  const found = await feed.read(new Types.ObjectId(), query, new AbortController().signal);
  expect(found).toMatchObject({ data: [], next: 3, hasMore: true });
  expect(waiters.count).toBe(0);
});
