import { beforeEach, expect, it } from '@jest/globals';
import { CallCounter, type CountedMinute } from './call-counter.js';
import { callsOf } from './call-counts.js';

const minute = 60_000;
let time: number;
let counter: CallCounter;

beforeEach(() => {
  time = 100 * minute;
  counter = new CallCounter({ now: () => new Date(time) });
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
const shape = (minutes: readonly CountedMinute[]) =>
  minutes.map(({ at, run, total }) => [at.getTime() / minute, run, callsOf(total)]);

it('hands out what has changed, with all of its minute', () => {
  call();
  expect(shape(counter.takeChanged())).toEqual([[100, 0, 1]]);
  expect(counter.takeChanged()).toEqual([]);
  call();
  time += minute;
  call();
  expect(shape(counter.takeChanged())).toEqual([
    [100, 0, 2],
    [101, 0, 1],
  ]);
});

it('does not change what it has handed out', () => {
  call();
  const [handedOut] = counter.takeChanged();
  call();
  expect(handedOut === undefined ? 0 : callsOf(handedOut.total)).toBe(1);
});

it('keeps what could not be stored, half an hour of it at most', () => {
  for (let step = 0; step < 100; step++) {
    call();
    for (const one of counter.takeChanged()) counter.giveBack(one);
    counter.forgetStored();
    time += minute;
  }
  expect(counter.stats()).toEqual({ waitingMinutes: 30, lostMinutes: 70 });
  expect(shape(counter.takeChanged())[0]).toEqual([170, 0, 1]);
  counter.forgetStored();
  expect(counter.stats().waitingMinutes).toBe(1);
});

it('a minute that comes again, because the clock was set back, is another one', () => {
  call();
  counter.takeChanged();
  time += minute;
  call();
  counter.takeChanged();
  counter.forgetStored();
  time -= minute;
  call();
  expect(shape(counter.takeChanged())).toEqual([[100, 1, 1]]);
});

it('tells at most 250 callers of a minute apart', () => {
  for (let key = 0; key < 1_000; key++) call(`key-${key}`);
  const [counted] = counter.takeChanged();
  const { callers, total } = counted as CountedMinute;
  expect(callers).toHaveLength(250);
  expect(callers[0]).toMatchObject({ keyId: null, route: 'other' });
  expect(callsOf(total)).toBe(1_000);
});
