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
/** Removes and returns the counted calls by quarter and name, or their totals without `by`. */
const take = (by?: 'keys' | 'routes') =>
  counter.take().flatMap(({ at, total, ...named }) => {
    const counts = by === undefined ? [['all', total] as const] : [...named[by]];
    return counts.map(([name, { calls }]) => `${at / quarter} ${name} ${calls}`);
  });

it.each([
  ['in total', undefined, ['1000 all 3', '1001 all 1']],
  ['by key', 'keys', ['1000 one 2', '1000 none 1', '1001 one 1']],
  ['by route', 'routes', ['1000 GET /leads 3', '1001 GET /leads 1']],
] as const)('UsageCounter counts calls per quarter of an hour %s', (_title, by, counted) => {
  call('one');
  time += 14 * minute;
  call('one');
  call();
  time += minute;
  call('one');
  expect(take(by)).toEqual(counted);
});

it('UsageCounter keeps the calls of one hour until they are taken, and counts lost calls', () => {
  for (let minutes = 0; minutes < 100; minutes++) {
    call();
    counter.countDeliveries(1, 0);
    time += minute;
  }
  expect(counter.lostCalls).toBe(25);
  expect(take()).toHaveLength(5);
  call();
  expect(take()).toHaveLength(1);
});

it('UsageCounter counts 1,000 keys per quarter separately, and further keys together', () => {
  for (let round = 0; round < 2; round++) {
    for (let key = 0; key < 3_000; key++) call(`key-${key}`);
  }
  const keys = take('keys');
  expect(keys).toHaveLength(1_001);
  expect(keys.slice(999)).toEqual(['1000 key-999 2', '1000 none 4000']);
});
