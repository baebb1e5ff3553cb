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

const call = (apiKeyId?: string, fields = {}) =>
  counter.count({
    method: 'GET',
    route: '/leads',
    status: 200,
    milliseconds: 3,
    organizationId: undefined,
    apiKeyId,
    ...fields,
  });
/** Removes and returns the counted calls by quarter, key and route. */
const take = () =>
  counter
    .take()
    .flatMap(({ at, pairs }) =>
      [...pairs.values()].map(
        ({ apiKeyId, route, counts: { calls } }) => `${at / quarter} ${apiKeyId} ${route} ${calls}`,
      ),
    );

it('UsageCounter counts calls by quarter of an hour, key and route', () => {
  call('one');
  time += 14 * minute;
  call('one');
  call('one', { method: 'POST' });
  call();
  time += minute;
  call('one');
  expect(take()).toEqual([
    '1000 one GET /leads 2',
    '1000 one POST /leads 1',
    '1000 null GET /leads 1',
    '1001 one GET /leads 1',
  ]);
});

it('UsageCounter counts error codes, notices and accepted requests with ignored fields', () => {
  call('one', { notices: ['lead.project_unmatched'], ignoredFields: ['x'] });
  call('one', { status: 400, errorCodes: ['validation.failed'], ignoredFields: ['x'] });
  const counts = counter
    .take()
    .flatMap(({ pairs }) => [...pairs.values()].map((one) => one.counts));
  expect(counts).toMatchObject([
    {
      calls: 2,
      refused: 1,
      'codes.lead:project_unmatched': 1,
      'codes.validation:failed': 1,
      'codes.fields:ignored': 1,
    },
  ]);
});

it('UsageCounter keeps the calls of one hour until they are taken, and counts lost calls', () => {
  for (let minutes = 0; minutes < 100; minutes++) {
    call();
    time += minute;
  }
  expect(counter.lostCalls).toBe(25);
  expect(take()).toHaveLength(5);
  call();
  expect(take()).toHaveLength(1);
});

it('UsageCounter counts 2,000 keys per quarter separately, and further keys together', () => {
  for (let round = 0; round < 2; round++) {
    for (let key = 0; key < 3_000; key++) call(`key-${key}`);
  }
  const keys = take();
  expect(keys).toHaveLength(2_001);
  expect(keys.slice(1_999)).toEqual(['1000 key-1999 GET /leads 2', '1000 null other 2000']);
});
