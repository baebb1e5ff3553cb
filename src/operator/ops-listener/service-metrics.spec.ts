import { expect, it, jest } from '@jest/globals';
import { metricLines, valueIn } from '../../../test/operations/metrics-text.js';
import { Clock } from '../../core/configuration/clock.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { Backlog } from '../../core/database/models/backlogs.js';
import { addBacklog, addKeyMetrics } from './service-metrics.js';

it('backlog metrics are omitted while the query that simultaneous scrapes share is running', async () => {
  const metrics = new Metrics();
  let queries = 0;
  let respond: (backlog: Backlog) => void = () => undefined;
  const read = () => {
    queries++;
    return new Promise<Backlog>((resolve) => (respond = resolve));
  };
  addBacklog(metrics, read, { some_lag_seconds: 'x', some_count: 'x' });
  expect(metricLines(await metrics.text())).toEqual([]);
  const secondScrape = metrics.text();
  respond({ lagMs: 2_000, count: 3 });
  expect(metricLines(await secondScrape).map(({ value }) => value)).toEqual([2, 3]);
  expect(queries).toBe(1);
  const next = valueIn(metrics, 'some_count');
  respond({ lagMs: 0, count: 0 });
  expect(await next).toBe(0);
  expect(queries).toBe(2);
});

it('key metrics read the database once a minute, and again after a failure', async () => {
  const metrics = new Metrics();
  let reads = 0;
  const clock = new Clock();
  addKeyMetrics(metrics, clock, () =>
    ++reads === 1
      ? Promise.reject(new Error('The database is gone.'))
      : Promise.resolve({ silent: 2, expiring: 1 }),
  );
  expect(metricLines(await metrics.text())).toEqual([]);
  for (let scrape = 0; scrape < 2; scrape++) {
    expect(metricLines(await metrics.text())).toMatchObject([{ value: 2 }, { value: 1 }]);
  }
  expect(reads).toBe(2);
  // The system's clock may also be set back.
  for (const passedMs of [60_000, -60_000]) {
    const now = new Date(clock.now().getTime() + passedMs);
    clock.now = () => now;
    expect(metricLines(await metrics.text())).toMatchObject([{ value: 2 }, { value: 1 }]);
  }
  expect(reads).toBe(4);
});

it('key metrics do not repeat a read that takes longer than a scrape waits', async () => {
  jest.useFakeTimers();
  const metrics = new Metrics();
  const reads: PromiseWithResolvers<{ silent: number; expiring: number }>[] = [];
  addKeyMetrics(metrics, new Clock(), () => {
    const read = Promise.withResolvers<{ silent: number; expiring: number }>();
    reads.push(read);
    return read.promise;
  });
  const scrape = async () => {
    const text = metrics.text();
    await jest.advanceTimersByTimeAsync(1_000);
    return metricLines(await text).map(({ value }) => value);
  };
  expect([await scrape(), await scrape(), reads.length]).toEqual([[], [], 1]);
  reads[0]?.reject(new Error('The query took too long.'));
  await jest.advanceTimersByTimeAsync(0);
  expect([await scrape(), reads.length]).toEqual([[], 2]);
  reads[1]?.resolve({ silent: 2, expiring: 1 });
  expect([await scrape(), reads.length]).toEqual([[2, 1], 2]);
  jest.useRealTimers();
});
