import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isWithoutZone, parseTime } from './time.js';

const instant = fc.date({
  min: new Date('1900-01-01T00:00:00Z'),
  max: new Date('2200-01-01T00:00:00Z'),
  noInvalidDate: true,
});
/** Minutes east of Greenwich. */
const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
const separator = fc.constantFrom('T', ' ');

const twoDigits = (number: number) => String(number).padStart(2, '0');

/** Returns the spellings of one offset, among them those of a query in which `+` became a blank. */
function zonesOf(minutes: number): string[] {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const signs = minutes < 0 ? ['-'] : ['+', ' '];
  const spellings = [
    `${twoDigits(hours)}:${twoDigits(rest)}`,
    `${twoDigits(hours)}${twoDigits(rest)}`,
    ...(rest === 0 ? [twoDigits(hours)] : []),
  ];
  const zones = signs.flatMap((sign) => spellings.map((spelling) => `${sign}${spelling}`));
  return minutes === 0 ? ['Z', ...zones] : zones;
}

describe('parseTime', () => {
  it('returns the same moment for every spelling of a time and its zone', () => {
    fc.assert(
      fc.property(instant, offset, separator, (time, minutes, between) => {
        const local = new Date(time.getTime() + minutes * 60_000).toISOString();
        const [day = '', clock = ''] = local.replace('Z', '').split('T');
        for (const zone of zonesOf(minutes)) {
          expect(parseTime(`${day}${between}${clock}${zone}`)).toEqual(time);
          const atMinute = new Date(Math.floor(time.getTime() / 60_000) * 60_000);
          expect(parseTime(`${day}${between}${clock.slice(0, 5)}${zone}`)).toEqual(atMinute);
        }
        expect(parseTime(day)).toEqual(new Date(`${day}T00:00:00Z`));
        expect([
          parseTime(`${day}${between}${clock}`),
          isWithoutZone(`${day}${between}${clock}`),
        ]).toEqual([null, true]);
      }),
    );
  });

  it('returns null for any other string, even with a zone', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0129-:TZ +.') }), (text) => {
        fc.pre(parseTime(text) === null && parseTime(`${text}Z`) === null);
        expect(isWithoutZone(text)).toBe(false);
      }),
    );
    for (const value of [null, 1_700_000_000, new Date(), ['2026-01-31'], '2026-02-30 10:00']) {
      expect([parseTime(value), isWithoutZone(value)]).toEqual([null, false]);
    }
  });
});
