import { expect, it } from '@jest/globals';
import { formatDuration, formatRelative } from './formats.js';

it('durations have at most two units, and fractions only below one second', () => {
  const second = 1_000;
  const durations = [0, 1, 12.34, 999, second, 61 * second, 3_600 * second, 90_061 * second];
  expect(durations.map(formatDuration)).toEqual([
    '0 ms',
    '1 ms',
    '12.3 ms',
    '999 ms',
    '1 s',
    '1 min 1 s',
    '1 h',
    '1 d 1 h',
  ]);
});

it('relative times have one unit', () => {
  const now = new Date('2030-01-01T12:00:00Z');
  const at = (time: string) => formatRelative(new Date(time), now);
  expect(at('2030-01-01T11:54:30Z')).toBe('5 min ago');
  expect(at('2030-01-01T13:20:00Z')).toBe('in 1 h');
  expect(at('2029-12-30T06:00:00Z')).toBe('2 d ago');
  expect(at('2030-01-01T11:59:59.500Z')).toBe('now');
});
