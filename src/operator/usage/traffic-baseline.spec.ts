import { describe, expect, it } from '@jest/globals';
import { hourMs } from '../../core/values/time.js';
import { baselineOf, HourlyCallCounts, type TrafficState } from './traffic-baseline.js';

/** Wednesday 25 November 2026, 12:15 UTC. */
const now = Date.UTC(2026, 10, 25, 12, 15);
const current = now - (now % hourMs);

interface KeyHour {
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
}

const baselineAt = (keyHours: readonly KeyHour[], time: number) => {
  const added = new HourlyCallCounts(time);
  for (const { at, calls, errors } of keyHours) added.add(at, calls, errors);
  return baselineOf(added);
};

/** Returns the hours with calls that began `from` to `to` hours before the current one. */
function hours(
  from: number,
  to: number,
  callsAt: (hour: Date, ago: number) => { calls: number; errors?: number },
): KeyHour[] {
  return Array.from({ length: from - to + 1 }, (_, index) => {
    const ago = from - index;
    const at = current - ago * hourMs;
    return { at, errors: 0, ...callsAt(new Date(at), ago) };
  }).filter(({ calls }) => calls > 0);
}

const fourWeeks = 28 * 24;
const hourly =
  (calls: number, errors = 0) =>
  () => ({ calls, errors });
const today = (calls: number, before: number) => (_: Date, ago: number) => ({
  calls: ago < 24 ? calls : before,
});
const daily = (at: Date) => ({ calls: at.getUTCHours() === 5 ? 1 : 0 });
/** Office hours are Sunday to Thursday, 8:00 to 18:00 UTC. */
const officeHours = (hour: Date) => ({
  calls: hour.getUTCDay() <= 4 && hour.getUTCHours() >= 8 && hour.getUTCHours() < 18 ? 20 : 0,
});
const failingToday = (_: Date, ago: number) => ({ calls: 10, errors: ago < 12 ? 5 : 0 });
const fewCallsToday = (_: Date, ago: number) => ({ calls: ago < 24 && ago % 5 > 0 ? 0 : 1 });

const cases: [string, TrafficState, KeyHour[]][] = [
  ['calls every hour as usual', 'usual', hours(fourWeeks, 0, hourly(10))],
  ['stopped two hours ago, without an earlier silence', 'silent', hours(fourWeeks, 3, hourly(10))],
  ['has not called in this hour yet', 'usual', hours(fourWeeks, 1, hourly(10))],
  ['calls in office hours, including today', 'usual', hours(fourWeeks, 1, officeHours)],
  ['calls in office hours, but not since Tuesday', 'usual', hours(fourWeeks, 13, officeHours)],
  ['calls in office hours, but not for five days', 'silent', hours(fourWeeks, 120, officeHours)],
  ['calls once a day, but not for two days', 'usual', hours(fourWeeks, 40, daily)],
  ['calls once a day, but not for a week', 'silent', hours(fourWeeks, 168, daily)],
  ['stopped three weeks ago', 'silent', hours(fourWeeks, 21 * 24 - 200, hourly(10))],
  ['has called for only three days', 'new', hours(72, 0, hourly(10))],
  ['called for only three days and then stopped', 'new', hours(72, 24, hourly(10))],
  [
    'has had half its calls rejected since this morning',
    'failing',
    hours(fourWeeks, 0, failingToday),
  ],
  ['has had half its calls rejected as usual', 'usual', hours(fourWeeks, 0, hourly(10, 5))],
  ['is new and rejected', 'failing', hours(5, 0, hourly(10, 9))],
  ['calls five times as often today', 'busier', hours(fourWeeks, 0, today(50, 10))],
  ['calls a fifth as often today', 'quieter', hours(fourWeeks, 0, today(2, 10))],
  ['calls a fifth as often today, with few calls', 'usual', hours(fourWeeks, 0, fewCallsToday)],
];

describe('the traffic baseline', () => {
  it.each(cases)('of a key that %s is %s', (_, state, keyHours) => {
    expect(baselineAt(keyHours, now).state).toBe(state);
  });

  it('contains the mean calls of each hour of the week and the usual calls of a day', () => {
    const baseline = baselineAt(hours(fourWeeks, 1, officeHours), now);
    expect(baseline.week).toHaveLength(168);
    // The hours are Monday 7:00, 8:00 and 17:00, Friday 8:00 and Sunday 8:00.
    expect([7, 8, 17, 4 * 24 + 8, 6 * 24 + 8].map((hour) => baseline.week[hour])).toEqual([
      0, 20, 20, 0, 20,
    ]);
    expect(baseline).toMatchObject({ calls: 180, usualCalls: 200, missedCalls: 0 });
    expect(baseline.lastHour).toEqual(new Date(current - hourMs));
  });

  it('adds partial hours in any order', () => {
    const keyHours = hours(fourWeeks, 0, hourly(10));
    const parts = keyHours.flatMap((hour) => [4, 6].map((calls) => ({ ...hour, calls })));
    expect(baselineAt(parts.toReversed(), now)).toEqual(baselineAt(keyHours, now));
  });
});
