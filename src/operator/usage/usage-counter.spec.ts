import { beforeEach, expect, it } from '@jest/globals';
import { UsageCounter } from './usage-counter.js';

const minute = 60_000;
const quarter = 15 * minute;
let time: number;
let counter: UsageCounter;

beforeEach(() => {
  time = 1_000 * quarter;
  counter = new UsageCounter({ now: () => new Date(time) });
});

const call = (apiKeyId?: string) =>
  counter.count({
    method: 'GET',
    route: '/leads',
    status: 200,
    milliseconds: 3,
    organizationId: undefined,
    apiKeyId,
  });
const take = () => {
  const batch = counter.take();
  const named = (of: 'keys' | 'routes') =>
    batch.flatMap((each) =>
      [...each[of]].map(([name, counts]) => [each.at / quarter, name, counts['calls']]),
    );
  const totals = batch.map(({ at, total }) => [at / quarter, total['calls']]);
  return { totals, keys: named('keys'), routes: named('routes') };
};

it('counts all calls of a quarter of an hour by key and route', () => {
  call('one');
  time += 14 * minute;
  call('one');
  call();
  time += minute;
  call('one');
  const { totals, keys, routes } = take();
  expect(totals).toEqual([
    [1_000, 3],
    [1_001, 1],
  ]);
  expect(keys).toEqual([
    [1_000, 'one', 2],
    [1_000, 'none', 1],
    [1_001, 'one', 1],
  ]);
  expect(routes).toEqual([
    [1_000, 'GET /leads', 3],
    [1_001, 'GET /leads', 1],
  ]);
});

it('keeps one hour of calls while the database is unavailable, and counts lost calls', () => {
  call();
  counter.take();
  for (let step = 0; step < 100; step++) {
    call();
    counter.countDeliveries(1, 0);
    time += minute;
  }
  expect(counter.lostCalls).toBe(25);
  expect(take().totals).toHaveLength(5);
});

it('counts 1,000 keys per quarter separately, and calls of more keys together', () => {
  for (let turn = 0; turn < 2; turn++) {
    for (let key = 0; key < 3_000; key++) call(`key-${key}`);
  }
  const { keys, totals } = take();
  expect(keys).toHaveLength(1_001);
  expect(keys.slice(999)).toEqual([
    [1_000, 'key-999', 2],
    [1_000, 'none', 4_000],
  ]);
  expect(totals).toEqual([[1_000, 6_000]]);
});
