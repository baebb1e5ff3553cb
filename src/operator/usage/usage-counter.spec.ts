import { beforeEach, expect, it } from '@jest/globals';
import { UsageCounter } from './usage-counter.js';

const minute = 60_000;
const quarter = 15 * minute;
let time: number;
let counter: UsageCounter;

beforeEach(() => {
  time = 100 * quarter;
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
  return {
    batch,
    minutes: [...(batch?.minutes ?? [])].map(([at, counts]) => [at / minute, counts['calls']]),
    keys: batch?.quarters.flatMap(({ at, keys }) =>
      [...keys].map(([key, counts]) => [+at / quarter, key, counts['calls']]),
    ),
    routes: batch?.quarters.flatMap(({ routes }) =>
      [...routes].map(([route, counts]) => [route, counts['calls']]),
    ),
  };
};

it('counts by minute, and by quarter by key and by route', () => {
  call('one');
  time += 14 * minute;
  call('one');
  call();
  time += minute;
  call('one');
  const { minutes, keys, routes } = take();
  expect(minutes).toEqual([
    [1_500, 1],
    [1_514, 2],
    [1_515, 1],
  ]);
  expect(keys).toEqual([
    [100, 'one', 2],
    [100, 'none', 1],
    [101, 'one', 1],
  ]);
  expect(routes).toEqual([
    ['GET /leads', 3],
    ['GET /leads', 1],
  ]);
});

it('returns the same batch until it is confirmed, and counts further calls for the next one', () => {
  call();
  const { batch: first } = take();
  call();
  call();
  expect(take()).toMatchObject({ batch: first, minutes: [[1_500, 1]] });
  if (first !== undefined) counter.confirm(first);
  const { batch: second, minutes } = take();
  expect(minutes).toEqual([[1_500, 2]]);
  // A second confirmation of the first one says nothing of this.
  if (first !== undefined) counter.confirm(first);
  expect(take().batch).toBe(second);
  if (second !== undefined) counter.confirm(second);
  expect(take().batch).toBeUndefined();
});

it('keeps an hour while the database is out of reach, and says how many calls it has lost', () => {
  call();
  counter.take();
  for (let step = 0; step < 100; step++) {
    call();
    counter.countDeliveries(1, 0);
    time += minute;
  }
  expect(counter.stats()).toEqual({ waitingMinutes: 61, lostCalls: 40 });
});

it('tells 1,000 keys of a quarter apart, and loses no call of the others', () => {
  for (let turn = 0; turn < 2; turn++) {
    for (let key = 0; key < 3_000; key++) call(`key-${key}`);
  }
  const { keys, minutes } = take();
  expect(keys).toHaveLength(1_001);
  expect(keys?.slice(999)).toEqual([
    [100, 'key-999', 2],
    [100, 'none', 4_000],
  ]);
  expect(minutes).toEqual([[1_500, 6_000]]);
});
